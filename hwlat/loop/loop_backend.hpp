// SPDX-License-Identifier: MIT
//
// The user-space loop as a back end: a pinned SCHED_FIFO thread on each CPU, all at once. It sees what the hardware and
// the firmware do, and also every interrupt and whatever else gets the CPU: an upper bound.
#pragma once

#include "backend.hpp"

namespace maxlat::hwlat {

class LoopBackend : public Backend {
 public:
  std::string_view name() const override { return "user-space loop"; }
  // 0.9 of the window of 1 s: RT throttling never has to stop it (see window_sampler.hpp).
  Sampling default_sampling() const override { return {1'000'000'000, 900'000'000}; }
  core::Status usable() const override { return {}; }
  core::Result<Measurement> measure(const Settings& settings, const Observer& observer) override;
};

}  // namespace maxlat::hwlat
