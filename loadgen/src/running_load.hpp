// SPDX-License-Identifier: MIT
//
// One load of a LoadSet: its workers, what they did each second, and whether it lives.
//
// A load lives until one of its workers has ended, whatever the reason, or all of them together made no progress for
// kLongestPause, or none to its end (ProgressWatch::idle_at_end). Then it is dead for good, its other workers are
// stopped, and its reason is kept. Progress is judged over all workers, not one by one: a measured real-time loop may
// starve the worker of its own CPU, and that is no death.
#pragma once

#include <chrono>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/loadgen/load_definition.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <string>
#include <vector>

#include "progress_watch.hpp"
#include "worker.hpp"

namespace maxlat::loadgen {

class RunningLoad {
 public:
  using Time = ProgressWatch::Time;
  // How long a keeper may take to end its command and remove what it has built.
  static constexpr std::chrono::seconds kStopLimit{15};

  static core::Result<RunningLoad> start(const LoadDefinition& definition, const LoadPlan& plan);

  void sample(Time now);
  void judge_end(Time now);  // after the last sample: a load that stood still to its end is dead as well
  bool under_way() const;    // every worker has done something
  void request_stop();
  void finish_stop(Time deadline);

  bool alive() const { return reason_.empty(); }
  bool built_in() const { return definition_->kind.built_in; }
  LoadProgress latest() const;
  core::LoadResult result() const;

 private:
  RunningLoad(const LoadDefinition& definition, std::string command);
  Worker::Counts count() const;
  void die(std::string why);

  const LoadDefinition* definition_;
  std::string command_;
  std::string reason_;  // empty while alive
  std::vector<Worker> workers_;
  ProgressWatch watch_;
  uint64_t rounds_ = 0;
};

}  // namespace maxlat::loadgen
