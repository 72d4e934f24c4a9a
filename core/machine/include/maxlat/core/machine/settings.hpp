// SPDX-License-Identifier: MIT
//
// Machine settings as data: name, how to read, what is wanted, what to write to have it so, whether that needs a
// reboot, and why it matters. One table serves `maxlat check` (read-only), the shield and the fingerprint, so they
// cannot disagree: the fix that check prints is made of the writes that a shield makes.
//
// A setting that cannot be read is "unknown", never "ok". A setting without a right value is "info". Settings per CPU
// are read for every measured CPU, because a daemon that sets the governor of CPU 0 says nothing about CPU 3.
//
// All paths are below a root ("/" in life, a folder in tests). Nothing here writes, and nothing is executed.
#pragma once

#include <functional>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

// What a reader may look at. Tests give it a root with files of their own.
struct MachineView {
  std::string root = "/";
  CpuList measured_cpus;  // the CPUs the user will measure on; empty: every online CPU
  CpuList other_cpus{};   // those for everything else; empty: the rest of the online CPUs
  // The kernel's configuration where it is there packed only (/proc/config.gz) and somebody has unpacked it; else
  // empty.
  std::string unpacked_config{};
  std::optional<std::string> read(std::string_view path) const;        // trimmed; nothing when it cannot be read
  std::optional<std::string> read_bytes(std::string_view path) const;  // as it is, for binary files
  std::vector<std::string> list(std::string_view directory) const;     // names, sorted; empty when it cannot be read
  bool is_writable(std::string_view path) const;                       // by its owner, whoever asks
  CpuList measured() const;                                            // measured_cpus, or the online CPUs of this root
};

// A row of what makes a setting right, with its blanks:
//   path   below the root. {cpu}: once for each measured CPU
//   value  {cpus}: the measured CPUs, {others}: all other online CPUs, as a list ("0-1"); {others:mask}: as a mask
struct SettingWrite {
  std::string_view path, value;
};
// The same for this machine.
struct FileWrite {
  std::string path, value;
  // The setting is right without it, and stays so with it. The kernel may refuse it: then nothing is wrong.
  bool precaution = false;
};

struct Setting {
  std::string_view name;   // "governor", unique
  std::string_view group;  // "kernel", "isolation", "interrupts", "cpu", "clock", "memory", "environment"
  std::string_view expected;
  std::string_view why;
  // How to correct the setting, in order of preference. set: files to write, in this order; a path that does not exist
  // on this machine is left out, because drivers differ. boot: parameters of the kernel ("nohz_full={cpus}"), which
  // need a reboot. fix: instructions for a person, with the same blanks, or advice beside the other two. elsewhere:
  // takes the place of `fix` where neither `set` nor `boot` can be applied (a virtual machine has few of these files).
  std::vector<SettingWrite> set = {};
  std::vector<FileWrite> (*set_here)(const MachineView&) = nullptr;  // for what no row can say
  std::string_view where = {};  // which files those are, in words for docs/tuning.md, with the same blanks
  std::string_view boot = {};
  std::string_view fix = {};
  std::string_view elsewhere = {};
  // What stands against it. needs_reboot: nothing can be written, `boot` (or what `fix` says) is the only way.
  // immovable: the parts that refuse every write on this machine, by name; writes_of() leaves them out, and `boot` is
  // their only way. Nothing where this kernel does not tell which they are: then the write itself fails.
  bool needs_reboot = false;
  std::optional<std::vector<std::string>> (*immovable)(const MachineView&) = nullptr;
  // No program does it unasked, neither writes nor boots it: it takes something away from the box that a shield does
  // not need, or it is right on some machines alone.
  bool only_when_asked = false;
  // Observed value and verdict. REQUIRES: no side effects.
  struct Reading {
    std::string observed;
    SettingObservation::Verdict verdict = SettingObservation::Verdict::unknown;
  };
  std::function<Reading(const MachineView&)> read;
};

// Settings that are told together: one file, settings_*.cpp. Adding a setting is a row there; adding a file is a row in
// core/machine/CMakeLists.txt, too (docs/where-to-change-what.md).
struct SettingGroup {
  std::vector<Setting> (*rows)();
};
// In the order of the table. Another program may add its own before it calls settings(), which joins them once.
std::vector<const SettingGroup*>& setting_groups();
const std::vector<Setting>& settings();
// What a program has to write to make it right on this machine, whether or not it is right now; empty where nothing can
// be written: with measured CPUs alone there are no others, for example. Writing may still be refused
// (Setting::immovable).
std::vector<FileWrite> writes_of(const Setting& setting, const MachineView& machine);
// The parameters of the kernel that make it right, for this machine's CPUs: "nohz_full=2-3". Empty: there are none.
std::string boot_words(const Setting& setting, const MachineView& machine);
// What the file says, as one would write it to have it so again: of "always [madvise] never" the chosen word.
std::optional<std::string> held_value(const std::string& path, const MachineView& machine);
// Reads back whether the file holds the value: "[never]" among other words, a CPU list or mask however it is written.
bool is_written(const FileWrite& write, const MachineView& machine);
// The writes as commands of a shell, the parameters of the kernel, and the words:
// "echo 0 > /proc/sys/kernel/nmi_watchdog".
std::string fix_text(const Setting& setting, const MachineView& machine);

SettingObservation observe(const Setting& setting, const MachineView& machine);
std::vector<SettingObservation> observe_all(const MachineView& machine);

// Groups of values that identify the machine and its state; serial numbers, UUIDs, MACs and the host name appear as
// "redacted". The hash of a group changes when any of its values does.
std::vector<FingerprintGroup> fingerprint(const MachineView& machine);

// The kernel's configuration as text, with private values redacted; nothing when there is none to read.
std::optional<std::string> kernel_config(const MachineView& machine);
inline constexpr std::string_view kPackedConfig = "/proc/config.gz";

// Why figures of this machine are not comparable with bare metal under PREEMPT_RT, in sentences; empty when they are.
std::vector<std::string> not_comparable(const MachineView& machine);

// Both, into a run: whoever reads its figures later has to know what they are figures of.
void say_machine(RunResult& run, const MachineView& machine);

}  // namespace maxlat::core
