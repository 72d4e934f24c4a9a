// SPDX-License-Identifier: MIT
//
// The kinds of phases that a plan may have, one row each. Adding one is one file, its meter with a definition; a line in
// the list below; a row in phase_table.cpp; and what its figures mean, a row in core/result/src/phase_kind.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::rteval_ext {

class Meter;

struct PhaseDefinition {
  enum class Shape {
    meter,       // one meter measures, for a time
    control,     // each of several meters has to find stalls of known length
    comparison,  // arms in rounds, one CPU
  };

  std::string_view name;  // in plans and results
  Shape shape = Shape::meter;
  std::unique_ptr<Meter> (*make)() = nullptr;  // null for the control, which other kinds' meters measure
  bool all_cpus_unless_isolated = false;       // without isolation it watches every CPU, and its loads run on every CPU
  std::string_view arm = {};                   // what its loop has at its tracepoints, when the meter does not say
  // Why the meter would measure in vain, or say wrongly, with these arguments from a plan; empty when it would not.
  std::string (*refused)(const std::vector<std::string>& arguments) = nullptr;
};

using PhaseKind = const PhaseDefinition*;

// control_runner.cpp, own_meter.cpp, cyclictest_meter.cpp, tracer_meter.cpp
extern const PhaseDefinition kControlPhase, kHwlatPhase, kNptPhase, kCyclictestPhase, kTracerPhase;

// phase_table.cpp
std::vector<PhaseKind>& phase_table();

inline std::string to_string(PhaseKind kind) {
  return std::string(kind->name);
}
inline bool is_control(PhaseKind kind) {
  return kind->shape == PhaseDefinition::Shape::control;
}
inline bool is_comparison(PhaseKind kind) {
  return kind->shape == PhaseDefinition::Shape::comparison;
}

}  // namespace maxlat::rteval_ext
