// SPDX-License-Identifier: MIT
//
// `maxlat cyclic` in the place of a cyclictest that is not installed: a target box that has nothing but our one file
// has its cyclictest phase, too. The phase says which of them measured.
#pragma once

#include "own_meter.hpp"

namespace maxlat::rteval_ext {

class CyclictestStandIn : public OwnMeter {
 public:
  explicit CyclictestStandIn(std::string executable) : OwnMeter(std::move(executable), &kCyclicPhase) {}

  PhaseKind kind() const override;
  // ERRORS: Exit::cannot_run for an argument that is cyclictest's alone.
  core::Result<core::ProcessSpec> command(const MeterJob& job) const override;
  core::Result<core::Phase> read(const MeterJob& job, const core::ProcessEnd& end) const override;
};

}  // namespace maxlat::rteval_ext
