// SPDX-License-Identifier: MIT
//
// maxlat's own meters, npt, hwlat, cyclic and preempt, as child processes of this same executable. Each writes a
// maxlat-result/1 with one phase, at the end and every few seconds before (--snapshot), so a killed one has left what
// it had.
#pragma once

#include <maxlat/rteval_ext/meter.hpp>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::rteval_ext {

extern const PhaseDefinition kHwlatPhase, kPreemptPhase, kCyclicPhase, kNptPhase;

class OwnMeter : public Meter {
 public:
  // `executable` is maxlat itself; `kind` is one with words of its own (own_words), and has its command's name.
  OwnMeter(std::string executable, PhaseKind kind) : executable_(std::move(executable)), kind_(kind) {}

  PhaseKind kind() const override { return kind_; }
  core::Result<core::ProcessSpec> command(const MeterJob& job) const override;
  bool measuring(const core::Child& child, const MeterJob& job) const override;
  core::Result<core::Phase> read(const MeterJob& job, const core::ProcessEnd& end) const override;
  core::ControlResult match(const std::vector<loadgen::Stall>& stalls, const core::Phase& phase,
                            double stated_error_ns) const override;

 private:
  std::string executable_;
  PhaseKind kind_;
};

}  // namespace maxlat::rteval_ext
