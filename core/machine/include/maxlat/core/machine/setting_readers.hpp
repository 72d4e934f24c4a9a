// SPDX-License-Identifier: MIT
//
// What the readers of the settings table share.
#pragma once

#include <functional>
#include <map>
#include <maxlat/core/machine/settings.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

using Reading = Setting::Reading;

// Every observed text is for people; that of an unreadable setting begins with "unknown".
Reading ok(std::string observed);
Reading bad(std::string observed);
Reading info(std::string observed);
Reading unknown(std::string_view why = {});
inline Reading judged(bool good, std::string observed) {
  return good ? ok(std::move(observed)) : bad(std::move(observed));
}

// ok when the file holds exactly `wanted`.
Reading file_holds(const MachineView& machine, std::string_view path, std::string_view wanted);

// One value per measured CPU. Equal values are told together: "performance", or "performance (CPU 0-2), powersave (CPU
// 3)". One bad CPU makes it bad; else one unreadable CPU makes it unknown.
Reading over_measured_cpus(const MachineView& machine, const std::function<std::optional<std::string>(unsigned)>& read,
                           const std::function<bool(const std::string&)>& is_good);

std::optional<long long> read_number(const MachineView& machine, std::string_view path);
std::optional<CpuList> read_cpus(const MachineView& machine, std::string_view path);      // a list, possibly empty
std::optional<CpuList> read_cpu_mask(const MachineView& machine, std::string_view path);  // a hex mask

CpuList sorted_unique(CpuList cpus);
// {others} of a row: those that the view names, else all online ones that are not measured.
CpuList other_cpus(const MachineView& machine);
// The other hardware threads of the measured CPUs' cores, unless they are measured, too.
CpuList siblings_of(const MachineView& machine);

// The word in brackets of "always [madvise] never" or "none voluntary (full)"; the whole text when there is none.
std::string chosen_word(const std::string& text);

// The last value of a parameter on the kernel's command line, "" when it stands there without a value.
struct CommandLineOfKernel {
  std::string text;
  std::optional<std::string> value(std::string_view parameter) const;
};
std::optional<CommandLineOfKernel> kernel_command_line(const MachineView& machine);

// /proc/cpuinfo: field by name, for each CPU.
using CpuInfo = std::map<unsigned, std::map<std::string, std::string>>;
CpuInfo read_cpuinfo(const MachineView& machine);
// The processes that run, by the names that the kernel keeps; none when they cannot be read.
struct Process {
  std::string pid, comm;
};
std::vector<Process> processes_of(const MachineView& machine);
bool has_word(const std::string& text, std::string_view word);

// "CPU 2" or "CPU 2-5": for sentences.
std::string cpus_text(const CpuList& cpus);
std::string cpu_path(unsigned cpu, std::string_view file);                      // "/sys/devices/system/cpu/cpu3/<file>"
std::string joined(const std::vector<std::string>& words, size_t at_most = 6);  // "a, b and 3 more"

}  // namespace maxlat::core
