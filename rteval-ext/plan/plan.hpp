// SPDX-License-Identifier: MIT
//
// What a validation run is to do: phases in order, each with its duration, CPUs, loads and limits.
//
// A Plan is a plain value that knows neither TOML nor this machine. plan_toml.hpp makes one from text; placement.hpp
// says which CPUs its words "measured", "housekeeping" and "all" mean here.
//
// INVARIANTS, kept by parse_plan(), each with a test in plan_toml_test.cpp
//   (1) at least one phase; names are unique and become file names: letters, digits, blanks, '-', '_', '.'.
//   (2) every measuring phase lasts longer than 0; a control phase has at least one meter, none of them twice, and one
//       stall length.
//   (3) a tracer phase has two arms or more, and no limits: it compares.
//   (4) every limit is a rule that reports::judge knows.
//   (5) housekeeping CPUs are only in a plan that wants a shield.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/reports/gate.hpp>
#include <maxlat/rteval_ext/phase_definition.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maxlat::rteval_ext {

// A stall of each length is planted `repeats` times on each controlled CPU.
struct StallSettings {
  std::vector<uint64_t> lengths_ns = {50'000, 500'000, 5'000'000};
  unsigned repeats = 5;
};

struct PhasePlan {
  std::string name;  // unique; "npt under load"
  PhaseKind kind = nullptr;
  uint64_t duration_ns = 0;  // 0 for a control, which ends when its stalls have been planted; of a comparison: a round
  std::string cpus;          // "measured", "all" or a CPU list; "" is the kind's own default
  std::vector<std::string> loads;      // as loadgen::LoadSet takes them; empty: idle
  std::string load_cpus;               // "housekeeping", "all" or a CPU list; "" is the kind's own default
  std::vector<std::string> arguments;  // added to the meter's command line as they are
  std::vector<PhaseKind> meters;       // of a control: who has to find the stalls
  StallSettings stalls;                // of a control
  std::vector<std::string> arms;       // of a comparison: as --compare takes them, the first is the base
  unsigned rounds = 8;                 // of a comparison
  std::vector<reports::Rule> limits;   // with this phase's name
};

// Of a run's measured CPUs. wanted: as far as this machine permits, which the result tells; required: no run without.
enum class ShieldUse { none, wanted, required };
// Its steps in the result; no phase has their names.
inline constexpr const char* kShieldStep = "shield";
inline constexpr const char* kShieldAuditStep = "shield audit";
// And those of every run.
inline constexpr const char* kPreflight = "preflight";
inline constexpr const char* kPreflightAtTheEnd = "preflight at the end";

// Of a setting of the machine that is not right: required: no run; comparable: the result says that its figures are not
// comparable.
enum class SettingUse { required, comparable };

struct Plan {
  std::string name;   // of the profile or the file
  std::string about;  // one line
  ShieldUse shield = ShieldUse::none;
  core::CpuList housekeeping;  // of the shield: for everything else, the loads too; empty: all that it does not shield
  bool dma_latency = true;     // /dev/cpu_dma_latency is held at 0 while a phase measures
  bool kernel_events = true;   // who had the time of the largest samples, where this kernel tells
  std::vector<std::pair<std::string, SettingUse>> settings;  // by the name of core::Setting, each once
  std::vector<PhasePlan> phases;
};

// How long a phase will take on so many CPUs: exact for a measuring phase, an estimate for a control.
double expected_seconds(const PhasePlan& phase, size_t measured_cpus);

}  // namespace maxlat::rteval_ext
