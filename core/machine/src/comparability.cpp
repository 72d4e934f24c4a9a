// SPDX-License-Identifier: MIT
//
// Three things make figures say nothing about bare metal under PREEMPT_RT. They are rows of the settings table; what is
// not known of them counts against the run, because a verdict must not rest on a guess.
#include <fmt/format.h>

#include <array>
#include <maxlat/core/machine/settings.hpp>

namespace maxlat::core {
namespace {

struct Ground {
  std::string_view setting;
  std::string_view when_bad;  // {} is the observed value
  std::string_view when_unknown;
};

constexpr std::array<Ground, 3> kGrounds{{
    {"virtualisation",
     "This is a {}: the hypervisor takes the CPU away at any moment and for any time, so these figures are those "
     "of the host and its other guests, not of this machine.",
     "Whether this is a virtual machine could not be found out."},
    {"preemption model",
     "The kernel is not a PREEMPT_RT kernel ({}): interrupt handlers and lock holders cannot be preempted there, so "
     "the worst case has no bound and a longer run would show more.",
     "Whether the kernel is a PREEMPT_RT kernel could not be found out."},
    {"counter", "The time-stamp counter cannot be trusted ({}): latencies are ticks of this counter.",
     "Whether the time-stamp counter can be trusted could not be found out."},
}};

}  // namespace

std::vector<std::string> not_comparable(const MachineView& machine) {
  std::vector<std::string> reasons;
  for (const Ground& ground : kGrounds)
    for (const Setting& setting : settings()) {
      if (setting.name != ground.setting) continue;
      const auto [observed, verdict] = setting.read(machine);
      if (verdict == SettingObservation::Verdict::bad)
        reasons.push_back(fmt::format(fmt::runtime(ground.when_bad), observed));
      else if (verdict != SettingObservation::Verdict::ok)
        reasons.emplace_back(ground.when_unknown);
    }
  return reasons;
}

void say_machine(RunResult& run, const MachineView& machine) {
  run.machine = fingerprint(machine);
  run.verdict.not_comparable = not_comparable(machine);
}

}  // namespace maxlat::core
