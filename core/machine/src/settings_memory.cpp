// SPDX-License-Identifier: MIT
//
// Memory: what moves, scans or takes away pages behind a locked process's back.
#include <fmt/format.h>

#include <maxlat/core/machine/setting_readers.hpp>
#include <sstream>

namespace maxlat::core {
namespace {

Reading read_huge_pages(const MachineView& machine) {
  const auto text = machine.read("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!text) return unknown();
  const std::string chosen = chosen_word(*text);
  return judged(chosen == "never", chosen);
}

Reading read_swap(const MachineView& machine) {
  const auto text = machine.read("/proc/swaps");
  if (!text) return unknown();
  std::vector<std::string> areas;
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) areas.push_back(line.substr(0, line.find_first_of(" \t")));
  return areas.empty() ? ok("none") : bad(joined(areas));
}

Reading read_numa_balancing(const MachineView& machine) {
  if (const auto mode = read_number(machine, "/proc/sys/kernel/numa_balancing"))
    return judged(*mode == 0, *mode == 0 ? "off" : "on");
  // A kernel without it has no such file; on one node there is nothing to balance.
  const auto nodes = read_cpus(machine, "/sys/devices/system/node/online");
  return nodes && nodes->size() == 1 ? ok("one node") : unknown();
}

Reading read_samepage_merging(const MachineView& machine) {
  const auto run = read_number(machine, "/sys/kernel/mm/ksm/run");
  return run ? judged(*run == 0, *run == 0 ? "off" : "on") : unknown();
}

constexpr long long kSeldomSeconds = 10;

Reading read_stat_interval(const MachineView& machine) {
  const auto seconds = read_number(machine, "/proc/sys/vm/stat_interval");
  return seconds ? judged(*seconds >= kSeldomSeconds, fmt::format("{} s", *seconds)) : unknown();
}

}  // namespace

static std::vector<Setting> memory_settings() {
  return {
      {.name = "transparent huge pages",
       .group = "memory",
       .expected = "never",
       .why = "khugepaged replaces pages of running processes: it holds their memory map, moves 2 MiB and sends an "
              "interrupt to every CPU that uses it",
       .set = {{"/sys/kernel/mm/transparent_hugepage/enabled", "never"}},
       .boot = "transparent_hugepage=never",
       .read = read_huge_pages},
      {.name = "swap",
       .group = "memory",
       .expected = "none",
       .why = "reclaim scans and unmaps pages; whatever is not locked comes back from a disk, milliseconds later",
       .fix = "swapoff -a, and take the areas out of /etc/fstab",
       .read = read_swap},
      {.name = "NUMA balancing",
       .group = "memory",
       .expected = "off",
       .why = "it unmaps pages to see who faults on them, locked ones too",
       .set = {{"/proc/sys/kernel/numa_balancing", "0"}},
       .read = read_numa_balancing},
      {.name = "same-page merging",
       .group = "memory",
       .expected = "off",
       .why = "ksmd scans memory and write-protects pages that it merged: the next write faults",
       .set = {{"/sys/kernel/mm/ksm/run", "0"}},
       .read = read_samepage_merging},
      {.name = "statistics interval",
       .group = "memory",
       .expected = "10 s or more",
       .why = "work of the memory statistics runs on every CPU that used the allocator, every second by default",
       .set = {{"/proc/sys/vm/stat_interval", "10"}},
       .read = read_stat_interval},
  };
}

extern const SettingGroup kMemorySettings{memory_settings};

}  // namespace maxlat::core
