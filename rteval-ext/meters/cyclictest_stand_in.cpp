// SPDX-License-Identifier: MIT
#include "cyclictest_stand_in.hpp"

#include <fmt/core.h>

#include <maxlat/core/result/fact_names.hpp>

#include "cyclictest_meter.hpp"

namespace maxlat::rteval_ext {
namespace {

constexpr const char* kInstall = "apt install rt-tests";

}  // namespace

PhaseKind CyclictestStandIn::kind() const {
  return &kCyclictestPhase;
}

core::Result<core::ProcessSpec> CyclictestStandIn::command(const MeterJob& job) const {
  for (const std::string& argument : job.arguments)
    if (argument != "--aligned")
      return core::Error{fmt::format("cyclictest is not installed, and maxlat cyclic has no {}", argument), kInstall,
                         core::Exit::cannot_run};
  return OwnMeter::command(job);
}

core::Result<core::Phase> CyclictestStandIn::read(const MeterJob& job, const core::ProcessEnd& end) const {
  core::Result<core::Phase> phase = OwnMeter::read(job, end);
  if (!phase) return phase;
  phase->facts[core::fact::kMeter] = "maxlat cyclic";
  phase->warnings.push_back(
      fmt::format("cyclictest is not installed, and maxlat cyclic measured in its place ({})", kInstall));
  return phase;
}

}  // namespace maxlat::rteval_ext
