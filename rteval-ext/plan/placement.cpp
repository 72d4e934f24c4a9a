// SPDX-License-Identifier: MIT
#include "placement.hpp"

#include <fmt/core.h>

namespace maxlat::rteval_ext {

namespace {

using core::CpuList;
using core::MachineCpus;

// "all", `word`, or a CPU list, which parse_plan() has checked for its form but not against this machine.
core::Result<CpuList> meant_by(const std::string& text, const std::string& word, const CpuList& word_means,
                               const MachineCpus& machine) {
  if (text == "all") return machine.online;
  if (text == word) return word_means;
  core::Result<CpuList> list = core::parse_cpu_list(text);
  if (!list) return list.error();
  return list;
}

}  // namespace

core::Status require_usable(const CpuList& cpus, const MachineCpus& machine, const std::string& whose) {
  const CpuList missing = core::difference(cpus, machine.online);
  if (missing.empty()) return {};
  return core::Error{fmt::format("{}: CPU {} does not exist here, is offline, or is not allowed to us", whose,
                                 core::to_string(missing)),
                     fmt::format("usable CPUs: {}", core::to_string(machine.online))};
}

core::Result<Placement> place(const PhasePlan& phase, const MachineCpus& machine, const CpuList& of_shield) {
  const std::string whose = fmt::format("phase '{}'", phase.name);
  Placement placement;
  placement.everywhere = phase.kind->all_cpus_unless_isolated && machine.isolated.empty() && phase.cpus.empty();
  if (!phase.cpus.empty()) {
    core::Result<CpuList> cpus = meant_by(phase.cpus, "measured", default_measured(machine), machine);
    if (!cpus) return cpus.error();
    placement.measured = *cpus;
  } else {
    placement.measured = placement.everywhere ? machine.online : default_measured(machine);
  }
  // Arms are compared on one CPU; the others are for their consumers.
  if (is_comparison(phase.kind) && placement.measured.size() > 1) placement.measured.resize(1);
  if (const core::Status usable = require_usable(placement.measured, machine, whose); !usable) return usable.error();
  if (phase.loads.empty()) return placement;

  const CpuList housekeeping = of_shield.empty() ? core::difference(machine.online, placement.measured) : of_shield;
  if (!phase.load_cpus.empty()) {
    core::Result<CpuList> cpus = meant_by(phase.load_cpus, "housekeeping", housekeeping, machine);
    if (!cpus) return cpus.error();
    placement.loads = *cpus;
  } else {
    placement.loads = placement.everywhere && of_shield.empty() ? machine.online : housekeeping;
  }
  if (const core::Status usable = require_usable(placement.loads, machine, whose); !usable) return usable.error();
  if (placement.loads.empty()) {
    placement.loads = placement.measured;
    placement.warnings.push_back(
        "no CPU is left for the loads: they share the measured CPUs, where the meter's priority "
        "leaves them little time");
  }
  return placement;
}

}  // namespace maxlat::rteval_ext
