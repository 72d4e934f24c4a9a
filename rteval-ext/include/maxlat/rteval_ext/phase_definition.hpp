// SPDX-License-Identifier: MIT
//
// The kinds of phases that a plan may have, one row each. Adding one is one file, its meter and one of these, and a row
// in rteval-ext/CMakeLists.txt (docs/where-to-change-what.md).
#pragma once

#include <maxlat/core/result/phase_kind.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::rteval_ext {

class Meter;
struct MeterJob;

struct PhaseDefinition {
  enum class Shape {
    meter,       // one meter measures, for a time
    control,     // each of several meters has to find stalls of known length
    comparison,  // arms in rounds, one CPU
    test,        // as a meter's, but nothing that could find a planted stall
  };

  // Its name in plans and results, and what its figures mean to gate and report.
  const core::PhaseKind* figures;
  Shape shape = Shape::meter;
  std::unique_ptr<Meter> (*make)() = nullptr;  // null for the control, which other kinds' meters measure
  bool all_cpus_unless_isolated = false;       // without isolation it watches every CPU, and its loads run on every CPU
  bool kernel_events = false;                  // it can say who had the time of its largest samples
  uint64_t interval_ns = 0;                    // of a meter that takes a sample so often; 0: it watches all the time
  std::string_view arm = {};                   // what its loop has at its tracepoints, when the meter does not say
  bool holds_latency_itself = false;           // /dev/cpu_dma_latency: as its own arguments say
  // Why the meter would measure in vain, or say wrongly, with these arguments from a plan; empty when it would not.
  std::string (*refused)(const std::vector<std::string>& arguments) = nullptr;
  // Of a meter of our own (OwnMeter): the words of its command for this job, beside those that all of them take.
  std::vector<std::string> (*own_words)(const MeterJob& job) = nullptr;

  std::string_view name() const { return figures->name; }
};

using PhaseKind = const PhaseDefinition*;

// Another program may add its own before it reads a plan.
std::vector<PhaseKind>& phase_table();
// Tells core what the figures of each of them mean: report and gate know them then. Once, before any command runs.
void announce_phase_kinds();

inline std::string to_string(PhaseKind kind) {
  return std::string(kind->name());
}
inline bool is_control(PhaseKind kind) {
  return kind->shape == PhaseDefinition::Shape::control;
}
inline bool is_comparison(PhaseKind kind) {
  return kind->shape == PhaseDefinition::Shape::comparison;
}

}  // namespace maxlat::rteval_ext
