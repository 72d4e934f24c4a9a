// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>

namespace maxlat::core {
namespace {

constexpr PhaseKind kReportKind{
    .name = "report", .what = "the report", .measures = false, .in_table = false, .rank = 8};
constexpr PhaseKind kUnknown{.name = "", .what = ""};

}  // namespace

const PhaseKind kPreflightKind{
    .name = "preflight", .what = "how the machine is set", .measures = false, .in_table = false, .rank = 8};
const PhaseKind kControlKind{
    .name = "control", .what = "stalls of known length, which the meter must find", .measures = false, .rank = 6};
const PhaseKind kHwlatKind{.name = "hwlat", .what = "stalls by hardware and firmware", .gaps = true, .rank = 4};
const PhaseKind kPreemptKind{.name = "preempt", .what = "preemption, by pairs of scheduling policies", .rank = 4};
const PhaseKind kCyclictestKind{.name = "cyclictest",
                                .what = "wake-up of a real-time thread by its timer",
                                .with_load = true,
                                .rank = 2,
                                .rank_under_load = 0};
const PhaseKind kCyclicKind{.name = "cyclic",
                            .what = "wake-up of a real-time thread by its timer, by maxlat",
                            .with_load = true,
                            .rank = 2,
                            .rank_under_load = 0};
const PhaseKind kNptKind{.name = "npt",
                         .what = "gaps of a loop that never sleeps",
                         .gaps = true,
                         .with_load = true,
                         .rank = 3,
                         .rank_under_load = 1};
const PhaseKind kTracerKind{
    .name = "tracer", .what = "what a tracer adds to the loop of npt", .of_the_box = false, .gaps = true, .rank = 7};

const PhaseKind kAuditKind{
    .name = "audit", .what = "what else runs on the shielded CPUs", .measures = false, .rank = 6};
const PhaseKind kLoadKind{.name = "load", .what = "loads", .measures = false};
const PhaseKind kImportedKind{.name = "imported", .what = "latencies that another tool measured"};
const PhaseKind kSensorKind{
    .name = "sensor", .what = "times that a program posts to a histogram of its own", .rank = 3};
const PhaseKind kValuesKind{
    .name = "values", .what = "other values that programs keep", .measures = false, .in_table = false, .rank = 8};

std::vector<const PhaseKind*>& phase_kinds() {
  static std::vector<const PhaseKind*> kinds = {
      &kPreflightKind, &kControlKind, &kHwlatKind, &kPreemptKind, &kCyclictestKind, &kCyclicKind, &kNptKind,
      &kTracerKind,    &kAuditKind,   &kLoadKind,  &kReportKind,  &kImportedKind,   &kSensorKind, &kValuesKind};
  return kinds;
}

const PhaseKind& kind_of(const Phase& phase) {
  const auto& kinds = phase_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const PhaseKind* kind) { return kind->name == phase.kind; });
  return found == kinds.end() ? kUnknown : **found;
}

}  // namespace maxlat::core
