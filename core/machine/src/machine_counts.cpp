// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/machine/machine_counts.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <sstream>

namespace maxlat::core {

namespace {

constexpr off_t kSmiCountMsr = 0x34;
constexpr double kTicksPerSecond = 100;  // USER_HZ, which is 100 on every architecture of ours

std::optional<uint64_t> read_smi_count(const std::string& root, unsigned cpu) {
  const base::Descriptor msr(::open(fmt::format("{}/dev/cpu/{}/msr", root, cpu).c_str(), O_RDONLY | O_CLOEXEC));
  if (!msr) return std::nullopt;
  uint64_t value = 0;
  if (::pread(msr.number(), &value, sizeof value, kSmiCountMsr) != sizeof value)
    return std::nullopt;  // EIO: the CPU has no such register (AMD)
  return value & 0xffffffffu;
}

std::map<unsigned, double> read_steal(const std::string& root) {
  std::map<unsigned, double> steal;
  std::ifstream stat(root + "/proc/stat");
  for (std::string line; std::getline(stat, line);) {
    unsigned cpu = 0;
    unsigned long long t[8] = {};
    // cpuN user nice system idle iowait irq softirq steal
    if (std::sscanf(line.c_str(), "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &t[0], &t[1], &t[2], &t[3],
                    &t[4], &t[5], &t[6], &t[7]) == 9) {
      steal[cpu] = static_cast<double>(t[7]) / kTicksPerSecond;
    }
  }
  return steal;
}

bool is_guest(const std::string& root) {
  std::ifstream cpuinfo(root + "/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (word == "hypervisor") return true;
    }
    return false;
  }
  return false;
}

}  // namespace

MachineCounts read_machine_counts(const core::CpuList& cpus, const std::string& root) {
  const std::string base = root == "/" ? "" : root;
  MachineCounts counts;
  counts.hypervisor = is_guest(base);
  const std::map<unsigned, double> steal = read_steal(base);
  for (const unsigned cpu : cpus) {
    if (const std::optional<uint64_t> smi = read_smi_count(base, cpu)) counts.smi[cpu] = *smi;
    if (const auto found = steal.find(cpu); found != steal.end()) counts.steal_s[cpu] = found->second;
  }
  return counts;
}

MachineChange machine_change(const MachineCounts& before, const MachineCounts& after) {
  MachineChange changed;
  changed.hypervisor = after.hypervisor;
  for (const auto& [cpu, smi] : after.smi) {
    // The register has 32 bits and wraps.
    if (const auto was = before.smi.find(cpu); was != before.smi.end())
      changed.smi[cpu] = (smi - was->second) & 0xffffffffu;
  }
  for (const auto& [cpu, steal] : after.steal_s) {
    if (const auto was = before.steal_s.find(cpu); was != before.steal_s.end()) {
      changed.steal_s[cpu] = std::max(0.0, steal - was->second);
    }
  }
  return changed;
}

std::string smi_text(const MachineChange& change) {
  if (change.smi.empty())
    return "not readable (MSR 0x34 through /dev/cpu/N/msr; Intel only, needs root and the msr module)";
  std::string text;
  for (const auto& [cpu, count] : change.smi)
    text += fmt::format("{}{} on CPU {}", text.empty() ? "" : ", ", count, cpu);
  return text;
}

std::string steal_text(const MachineChange& change) {
  if (!change.hypervisor || change.steal_s.empty()) return {};
  std::string text;
  for (const auto& [cpu, steal_s] : change.steal_s)
    text += fmt::format("{}{} of CPU {}", text.empty() ? "" : ", ", duration_text(steal_s), cpu);
  return fmt::format("{}: taken by the host, known to a tick of {} only", text, duration_text(1 / kTicksPerSecond));
}

}  // namespace maxlat::core
