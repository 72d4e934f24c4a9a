// SPDX-License-Identifier: MIT
//
// The kernel's hwlat tracer as a back end. What it is told and how it is put back: tracer_session.hpp. What its records
// mean: tracer_result.hpp.
#pragma once

#include "backend.hpp"

namespace maxlat::hwlat {

class TracerBackend : public Backend {
 public:
  explicit TracerBackend(std::string root = "/") : root_(std::move(root)) {}
  std::string_view name() const override { return "kernel hwlat tracer"; }
  // The tracer's own default. More would leave the CPUs, which have interrupts off meanwhile, too little for the rest.
  Sampling default_sampling() const override { return {1'000'000'000, 500'000'000}; }
  core::Status usable() const override;
  core::Result<Measurement> measure(const Settings& settings, const Observer& observer) override;

 private:
  std::string root_;
};

}  // namespace maxlat::hwlat
