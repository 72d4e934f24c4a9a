// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <maxlat/attribution/outlier_accounting.hpp>
#include <maxlat/attribution/trace_mark.hpp>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/npt/arm.hpp>
#include <maxlat/npt/measure.hpp>
#include <memory>
#include <optional>

#include "arms/arm_folder.hpp"
#include "measurement_of_runs.hpp"
#include "measurement_plan.hpp"
#include "measuring_threads.hpp"
#include "surroundings.hpp"

namespace maxlat::npt {
namespace {

// An arm that is set up, and the folder that outlives it.
struct ArmInPlace {
  std::optional<ArmFolder> folder;
  std::unique_ptr<Arm> arm;  // null: none
};

core::Result<ArmInPlace> set_up_arm(const MeasurementPlan& plan) {
  ArmInPlace in_place;
  if (!plan.has_arm()) return in_place;
  const Options& options = plan.options;
  ::signal(SIGXFSZ, SIG_IGN);  // a file that reached its limit is an error of write(), not our end
  auto arm = make_arm(options.arm);
  if (!arm) return arm.error();
  auto folder = ArmFolder::make();
  if (!folder) return folder.error();
  in_place.folder.emplace(std::move(*folder));
  auto allowed = core::allowed_cpus();
  if (!allowed) return allowed.error();
  ArmSurroundings surroundings{options.arm, plan.clock,           options.cpus,
                               *allowed,    options.trace_folder, &*in_place.folder};
  if (options.trace_folder.empty()) {
    auto inner = in_place.folder->make_inner("trace");
    if (!inner) return inner.error();
    surroundings.trace_folder = *inner;
  } else if (std::error_code failure; !std::filesystem::create_directories(options.trace_folder, failure) && failure) {
    return core::system_error("cannot make the folder " + options.trace_folder, failure.value());
  }
  if (core::Status status = (*arm)->set_up(surroundings); !status) return status.error();
  in_place.arm = std::move(*arm);
  return in_place;
}

attribution::KernelWatching watch_kernel(const MeasurementPlan& plan, bool has_own_cpu) {
  if (plan.options.kernel_events.empty()) return {};
  if (plan.reads_raw_clock())
    return {nullptr, "the gaps are of CLOCK_MONOTONIC_RAW, the kernel's events of the counter"};
  if (!has_own_cpu) return {nullptr, "every CPU is measured, so none is left to read the events on"};
  return attribution::watch_kernel({.cpus = plan.options.cpus,
                                    .ticks_per_ns = plan.clock.ticks_per_ns,
                                    .gaps_kept = plan.options.outliers,
                                    .backend = plan.options.kernel_events});
}

// Null: nobody asked for it.
core::Result<std::unique_ptr<attribution::TraceMark>> open_mark(const Options& options) {
  if (!options.trace_mark) return std::unique_ptr<attribution::TraceMark>();
  return attribution::TraceMark::open("/", *options.trace_mark);
}

void tell_of(const attribution::TraceMark& mark, core::Phase& phase) {
  phase.facts[core::fact::kTraceMark] = mark.told();
  if (const std::string failure = mark.failure(); !failure.empty()) phase.warnings.push_back(failure);
}

struct ConsumerTime {
  std::optional<double> cpu_s;
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
};

ConsumerTime consumer_time(const ArmInPlace& in_place) {
  return {in_place.arm ? in_place.arm->consumer_cpu_s() : std::nullopt};
}

// How busy the arm's consumer was while the loops ran, and their threads began and ended.
void enter_consumer(const ConsumerTime& before, const ConsumerTime& after, core::Phase& phase) {
  const double wall_s = std::chrono::duration<double>(after.at - before.at).count();
  if (before.cpu_s && after.cpu_s && wall_s > 0)
    phase.facts[core::fact::kConsumerCpu] = fmt::format("{:.0f}", 100 * (*after.cpu_s - *before.cpu_s) / wall_s);
}

std::vector<std::vector<core::OutlierSample>> outliers_of(const EndedRun& run) {
  std::vector<std::vector<core::OutlierSample>> outliers;
  for (const auto& cpu : run.cpus) outliers.push_back(cpu.run->journal.outliers().largest_first());
  return outliers;
}

}  // namespace

// What is set up here is undone in the opposite order, the calling thread's CPUs last.
core::Result<Measurement> measure(const Options& options, const Observer& observer) {
  const auto plan = make_plan(options);
  if (!plan) return plan.error();
  const OutOfTheWay out_of_the_way(plan->options.cpus);
  auto in_place = set_up_arm(*plan);
  if (!in_place) return in_place.error();
  auto locked = LockedMemory::lock(plan->options.lock_memory);
  if (!locked) return locked.error();
  auto mark = open_mark(plan->options);
  if (!mark) return mark.error();
  const attribution::KernelWatching kernel = watch_kernel(*plan, out_of_the_way.has_own_cpu());
  MeasuringThreads threads(*plan, in_place->arm.get(), out_of_the_way.has_own_cpu(), kernel.watch.get(), mark->get());
  core::Phase before = phase_before(*plan, out_of_the_way.has_own_cpu());
  if (const auto& why = out_of_the_way.shares_them_because(); !why.empty()) before.warnings.push_back(why);
  tell_of(kernel, before);
  const ConsumerTime consumer_before = consumer_time(*in_place);
  const auto run = threads.run(before, observer);
  const ConsumerTime consumer_after = consumer_time(*in_place);
  if (!run) return run.error();
  auto measurement = measurement_of(*plan, before, *run, in_place->arm.get());
  if (measurement) enter_consumer(consumer_before, consumer_after, measurement->phase);
  if (measurement && kernel.watch) enter_accounting(kernel.watch->finish(), outliers_of(*run), measurement->phase);
  if (measurement && *mark) tell_of(**mark, measurement->phase);
  return measurement;
}

}  // namespace maxlat::npt
