// SPDX-License-Identifier: MIT
//
// cyclictest from rt-tests as a meter: `cyclictest -m -p95 -i100 --smp -h N -q --json=FILE`.
//
// While it runs, SIGUSR1 makes it print its maxima so far; asked for at even steps, that is the phase's timeline. The
// signal is sent only once its handler stands (/proc/PID/status, SigCgt): before that it would kill it.
#pragma once

#include <maxlat/rteval_ext/meter.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::rteval_ext {

extern const PhaseDefinition kCyclictestPhase;

class CyclictestMeter : public Meter {
 public:
  explicit CyclictestMeter(std::string program = "cyclictest") : program_(std::move(program)) {}

  PhaseKind kind() const override { return &kCyclictestPhase; }
  core::Result<core::ProcessSpec> command(const MeterJob& job) const override;
  bool measuring(const core::Child& child, const MeterJob& job) const override;
  std::optional<attribution::WatchedThreads> watched_threads() const override;
  void every_second(core::Child& child, const MeterJob& job, double elapsed_s) override;
  core::Result<core::Phase> read(const MeterJob& job, const core::ProcessEnd& end) const override;
  core::ControlResult match(const std::vector<loadgen::Stall>& stalls, const core::Phase& phase,
                            double stated_error_ns) const override;

 private:
  double time_of_each_thread_s(const MeterJob& job) const;

  std::string program_;
  double elapsed_s_ = 0;       // as of the last every_second()
  double begun_s_ = 0;         // when every_second() first saw all threads under way; 0: it did not
  std::vector<size_t> steps_;  // of the timeline, for which SIGUSR1 was sent
};

}  // namespace maxlat::rteval_ext
