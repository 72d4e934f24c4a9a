// SPDX-License-Identifier: MIT
#include "running_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/duration.hpp>
#include <optional>
#include <utility>

namespace maxlat::loadgen {

RunningLoad::RunningLoad(const LoadDefinition& definition, std::string command)
    : definition_(&definition), command_(std::move(command)), watch_(std::chrono::steady_clock::now()) {}

core::Result<RunningLoad> RunningLoad::start(const LoadDefinition& definition, const LoadPlan& plan) {
  RunningLoad load(definition, plan.command);
  for (const WorkerSpec& spec : plan.workers) {
    core::Result<Worker> worker = Worker::start(spec);
    if (!worker) return worker.error();
    load.workers_.push_back(std::move(*worker));
  }
  return load;
}

Worker::Counts RunningLoad::count() const {
  Worker::Counts sum;
  for (const Worker& worker : workers_) {
    const Worker::Counts counts = worker.counts();
    sum.work += counts.work;
    sum.rounds += counts.rounds;
    if (counts.counted_at) sum.counted_at = std::min(*counts.counted_at, sum.counted_at.value_or(*counts.counted_at));
  }
  return sum;
}

void RunningLoad::sample(Time now) {
  if (!alive()) return;
  const Worker::Counts counts = count();
  rounds_ = counts.rounds;
  watch_.observe(counts.work, counts.rounds, now, counts.counted_at);
  for (Worker& worker : workers_)
    if (std::optional<std::string> why = worker.poll_end()) return die(*why);
  if (watch_.pause(now) >= kLongestPause) die(fmt::format("no progress for {} s", kLongestPause.count()));
}

void RunningLoad::judge_end(Time now) {
  if (!alive() || !watch_.idle_at_end(now)) return;
  const auto text = [](auto time) { return core::duration_text(std::chrono::duration<double>(time).count()); };
  die(fmt::format("no progress for the last {} of {}", text(watch_.pause(now)), text(watch_.age(now))));
}

// Half a load is worse than none: its other workers go too.
void RunningLoad::die(std::string why) {
  reason_ = std::move(why);
  request_stop();
  finish_stop(std::chrono::steady_clock::now() + kStopLimit);
}

bool RunningLoad::under_way() const {
  return std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) { return worker.counts().work > 0; });
}

void RunningLoad::request_stop() {
  for (Worker& worker : workers_) worker.request_stop();
}

void RunningLoad::finish_stop(Time deadline) {
  for (Worker& worker : workers_) worker.finish_stop(deadline);
}

LoadProgress RunningLoad::latest() const {
  const std::vector<double>& rates = watch_.per_second();
  return {.name = std::string(definition_->kind.name),
          .unit = std::string(definition_->unit),
          .rate = rates.empty() ? 0 : rates.back() * definition_->scale,
          .rounds = rounds_,
          .alive = alive(),
          .reason = reason_};
}

core::LoadResult RunningLoad::result() const {
  core::LoadResult result{.name = std::string(definition_->kind.name),
                          .command = command_,
                          .unit = std::string(definition_->unit),
                          .alive = alive(),
                          .reason = reason_,
                          .progress = watch_.per_second()};
  for (double& rate : result.progress) rate *= definition_->scale;
  return result;
}

}  // namespace maxlat::loadgen
