// SPDX-License-Identifier: MIT
//
// Machine settings as data: name, how to read, what is wanted, how to set it, whether that needs a reboot, and why it
// matters. One table serves `maxlat check` (read-only), the shield and the fingerprint, so they cannot disagree.
//
// A setting that cannot be read is "unknown", never "ok". All paths are below a root ("/" in life, a folder in tests).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <maxlat/core/cpu_list.hpp>
#include <maxlat/core/run_result.hpp>

namespace maxlat::core {

// What a reader may look at. Tests give it a root with files of their own.
struct MachineView {
  std::string root = "/";
  CpuList measured_cpus;  // the CPUs the user will measure on; settings per CPU are read for each of them
  std::optional<std::string> read(std::string_view path) const;  // trimmed; nothing when it cannot be read
  std::vector<std::string> list(std::string_view directory) const;
};

struct Setting {
  std::string_view name;   // "governor"
  std::string_view group;  // "cpu", "kernel", "memory", "interrupts", "clock", "environment"
  std::string_view expected;
  std::string_view why;
  std::string_view fix;
  bool needs_reboot = false;
  // Observed value and verdict. REQUIRES: no side effects.
  struct Reading {
    std::string observed;
    SettingObservation::Verdict verdict = SettingObservation::Verdict::unknown;
  };
  std::function<Reading(const MachineView&)> read;
};

const std::vector<Setting>& settings();
SettingObservation observe(const Setting& setting, const MachineView& machine);
std::vector<SettingObservation> observe_all(const MachineView& machine);

// Groups of values that identify the machine and its state; serial numbers, UUIDs, MACs and the host name appear as
// "redacted". The hash of a group changes when any of its values does.
std::vector<FingerprintGroup> fingerprint(const MachineView& machine);

// Why figures of this machine are not comparable with bare metal under PREEMPT_RT; empty when they are.
std::vector<std::string> not_comparable(const MachineView& machine);

}  // namespace maxlat::core
