// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>

namespace maxlat::core {
namespace {

constexpr PhaseKind kKinds[] = {
    {.name = "preflight", .what = "how the machine is set", .measures = false, .rank = 8},
    {.name = "control", .what = "stalls of known length, which the meter must find", .measures = false, .rank = 6},
    {.name = "hwlat", .what = "stalls by hardware and firmware", .gaps = true, .rank = 4},
    {.name = "cyclictest",
     .what = "wake-up of a real-time thread by its timer",
     .with_load = true,
     .rank = 2,
     .rank_under_load = 0},
    {.name = "npt",
     .what = "gaps of a loop that never sleeps",
     .gaps = true,
     .with_load = true,
     .rank = 3,
     .rank_under_load = 1},
    {.name = "tracer", .what = "what a tracer adds to the loop of npt", .of_the_box = false, .gaps = true, .rank = 7},
    {.name = "load", .what = "loads", .measures = false},
    {.name = "report", .what = "the report", .measures = false, .rank = 8},
};
constexpr PhaseKind kUnknown{.name = "", .what = ""};

}  // namespace

std::span<const PhaseKind> phase_kinds() {
  return kKinds;
}

const PhaseKind& kind_of(const Phase& phase) {
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const PhaseKind& kind) { return kind.name == phase.kind; });
  return found == std::end(kKinds) ? kUnknown : *found;
}

}  // namespace maxlat::core
