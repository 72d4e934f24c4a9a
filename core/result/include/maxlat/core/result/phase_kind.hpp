// SPDX-License-Identifier: MIT
//
// What the kind of a phase ("npt") says of its figures. Gate, page and summary ask here; how a phase is run is its
// meter's (maxlat/rteval_ext/meter.hpp).
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <string_view>
#include <vector>

namespace maxlat::core {

struct PhaseKind {
  std::string_view name;
  std::string_view what;   // it is about, in the table of phases
  bool measures = true;    // takes samples
  bool of_the_box = true;  // and they are about the box: a tracer's arm slows its loop on purpose
  bool gaps = false;       // samples are gaps of a loop: the p99 of these is the loop's pace, not a latency
  bool with_load = false;  // means one thing idle and another under load
  bool in_table = true;    // stands in the table of phases: not the frame of a run
  int rank = 5;            // in the table of phases: what answers, what explains, what is about tracers, the run itself
  int rank_under_load = rank;
};

// Ranks from here on stand behind the pre-flight table.
inline constexpr int kBehindThePreflight = 7;

// Of what our commands write by themselves, too, and plans name (rteval-ext).
extern const PhaseKind kPreflightKind, kControlKind, kHwlatKind, kPreemptKind, kCyclictestKind, kCyclicKind, kNptKind,
    kTracerKind, kAuditKind, kLoadKind;
// Of what `maxlat import` reads and none of these is about.
extern const PhaseKind kImportedKind;
// Of what `maxlat sensors record` reads: a program's own histogram of times; everything else.
extern const PhaseKind kSensorKind, kValuesKind;

// In the order of a run; then those that another room or program has added (rteval_ext::announce_phase_kinds()).
std::vector<const PhaseKind*>& phase_kinds();

// A kind that this code does not know is taken as one that measures the box: an unknown phase without samples is then
// "not measured", never overlooked.
const PhaseKind& kind_of(const Phase& phase);

}  // namespace maxlat::core
