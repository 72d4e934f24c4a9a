// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/loadgen/load_definition.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <utility>

#include "running_load.hpp"

namespace maxlat::loadgen {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// How long start() looks whether a load ends at once: a program that does not like its arguments is gone by then.
constexpr auto kFirstLook = 500ms;

core::Result<std::vector<std::pair<const LoadDefinition*, LoadPlan>>> plan_all(const std::vector<std::string>& loads,
                                                                               const core::CpuList& cpus) {
  std::vector<std::pair<const LoadDefinition*, LoadPlan>> plans;
  for (const std::string& text : loads) {
    core::Result<NamedLoad> named = find_load(text);
    if (!named) return named.error();
    core::Result<LoadPlan> plan = named->definition->plan(named->argument, cpus);
    if (!plan) return plan.error();
    plans.emplace_back(named->definition, std::move(*plan));
  }
  return plans;
}

core::Error ended_at_once(const core::LoadResult& load, bool built_in) {
  return {fmt::format("load '{}' ended at once: {}", load.name, load.reason),
          built_in ? "" : "run it by hand to see what is wrong: " + load.command};
}

}  // namespace

struct LoadSet::State {
  std::vector<RunningLoad> loads;
  bool stopped = false;

  ~State() { stop_all(); }
  void stop_all() {
    if (std::exchange(stopped, true)) return;
    for (RunningLoad& load : loads) load.request_stop();
    const Clock::time_point deadline = Clock::now() + RunningLoad::kStopLimit;
    for (RunningLoad& load : loads) load.finish_stop(deadline);
  }

  // Built-ins count within milliseconds; of a foreign command only time can tell that it did not end at once.
  core::Status look_whether_all_began() {
    const bool foreign =
        std::any_of(loads.begin(), loads.end(), [](const RunningLoad& load) { return !load.built_in(); });
    const Clock::time_point until = Clock::now() + kFirstLook;
    do {
      poll(nullptr, 0, 5);
      for (RunningLoad& load : loads) {
        load.sample(Clock::now());
        if (!load.alive()) return ended_at_once(load.result(), load.built_in());
      }
      if (!foreign && std::all_of(loads.begin(), loads.end(), [](const RunningLoad& load) { return load.under_way(); }))
        break;
    } while (Clock::now() < until);
    return {};
  }
};

core::Status LoadSet::check(const std::vector<std::string>& loads, const core::CpuList& cpus) {
  if (const auto plans = plan_all(loads, cpus); !plans) return plans.error();
  return {};
}

core::Result<LoadSet> LoadSet::start(const std::vector<std::string>& loads, const core::CpuList& cpus) {
  core::CpuList where = cpus;
  if (where.empty()) {
    core::Result<core::CpuList> allowed = core::allowed_cpus();
    if (!allowed) return allowed.error();
    where = *allowed;
  }
  if (core::Status usable = core::require_usable(where); !usable) return usable.error();
  auto plans = plan_all(loads, where);
  if (!plans) return plans.error();

  auto state = std::make_unique<State>();
  for (const auto& [definition, plan] : *plans) {
    core::Result<RunningLoad> load = RunningLoad::start(*definition, plan);
    if (!load) return load.error();
    state->loads.push_back(std::move(*load));
  }
  if (core::Status began = state->look_whether_all_began(); !began) return began.error();
  return LoadSet(std::move(state));
}

LoadSet::LoadSet(std::unique_ptr<State> state) : state_(std::move(state)) {}
LoadSet::LoadSet(LoadSet&&) noexcept = default;
LoadSet& LoadSet::operator=(LoadSet&&) noexcept = default;
LoadSet::~LoadSet() = default;

void LoadSet::sample() {
  if (state_->stopped) return;
  for (RunningLoad& load : state_->loads) load.sample(Clock::now());
}

bool LoadSet::all_alive() const {
  return std::all_of(state_->loads.begin(), state_->loads.end(), [](const RunningLoad& load) { return load.alive(); });
}

std::vector<LoadProgress> LoadSet::latest() const {
  std::vector<LoadProgress> latest;
  for (const RunningLoad& load : state_->loads) latest.push_back(load.latest());
  return latest;
}

std::vector<core::LoadResult> LoadSet::stop() {
  sample();
  if (!state_->stopped)
    for (RunningLoad& load : state_->loads) load.judge_end(Clock::now());
  state_->stop_all();
  std::vector<core::LoadResult> results;
  for (const RunningLoad& load : state_->loads) results.push_back(load.result());
  return results;
}

}  // namespace maxlat::loadgen
