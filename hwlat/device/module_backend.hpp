// SPDX-License-Identifier: MIT
//
// Our kernel module as a back end: interrupts off on every CPU, nanoseconds, every gap in a histogram, and for each gap
// above the threshold whether an SMI or an NMI came in it. The device is the module's whole interface (module_abi.h).
//
// When this process dies, the kernel closes the descriptor, and the module stops by itself.
#pragma once

#include <functional>

#include "backend.hpp"
#include "module_device.hpp"

namespace maxlat::hwlat {

class ModuleBackend : public Backend {
 public:
  using OpenDevice = std::function<core::Result<std::unique_ptr<ModuleDevice>>()>;
  explicit ModuleBackend(OpenDevice open = [] { return open_module_device(); }) : open_(std::move(open)) {}

  std::string_view name() const override { return "kernel module maxlat_hwlat"; }
  // Nine tenths of the time; no interrupt waits for longer than 9 ms.
  Sampling default_sampling() const override { return {10'000'000, 9'000'000}; }
  core::Status usable() const override;
  // What the module would refuse with a bare EINVAL: which option, and the limit.
  core::Status takes(const Settings& settings) const override;
  core::Result<Measurement> measure(const Settings& settings, const Observer& observer) override;

 private:
  OpenDevice open_;
};

}  // namespace maxlat::hwlat
