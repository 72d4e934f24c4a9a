// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/shield_door.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <optional>
#include <thread>

namespace maxlat::core {
namespace {

std::optional<unsigned> parse_number(std::string_view text) {
  const auto value = whole_number<unsigned>(text);
  return value && *value <= kLargestCpu ? value : std::nullopt;
}

// One element of a list. Of each `group` CPUs from `first` on, the first `used` are meant.
struct Range {
  unsigned first = 0, last = 0, used = 1, group = 1;
};

// "3", "2-5", "1-7:2", "0-31:2/8".
std::optional<Range> parse_range(std::string_view text) {
  Range range;
  const size_t colon = text.find(':');
  const std::string_view span = text.substr(0, colon);
  const size_t dash = span.find('-');
  const auto first = parse_number(span.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(span.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  range.first = *first;
  range.last = *last;
  if (colon == std::string_view::npos) return range;
  if (dash == std::string_view::npos) return std::nullopt;

  const std::string_view step = text.substr(colon + 1);
  const size_t slash = step.find('/');
  const auto used = slash == std::string_view::npos ? std::optional<unsigned>(1) : parse_number(step.substr(0, slash));
  const auto group = parse_number(slash == std::string_view::npos ? step : step.substr(slash + 1));
  if (!used || !group || *used == 0 || *used > *group) return std::nullopt;
  range.used = *used;
  range.group = *group;
  return range;
}

void sort_unique(CpuList& cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
}

Result<CpuList> read_list(const char* path) {
  const auto text = read_text(path);
  if (!text) return Error{fmt::format("cannot read {}", path), "is /sys mounted?"};
  if (text->empty()) return CpuList{};
  return parse_cpu_list(*text);
}

// The raw call, because it says how long the kernel's mask is: glibc's wrapper hides that, and CPU_SETSIZE is only
// 1024.
Result<CpuList> current_affinity() {
  for (size_t words = 16; words <= (kLargestCpu + 1) / 64; words *= 2) {
    std::vector<uint64_t> mask(words);
    const long bytes = syscall(SYS_sched_getaffinity, 0, words * sizeof(uint64_t), mask.data());
    if (bytes < 0 && errno == EINVAL) continue;
    if (bytes < 0) return system_error("cannot read the CPU affinity", errno);
    CpuList cpus;
    for (unsigned cpu = 0; cpu < words * 64; ++cpu)
      if (mask[cpu / 64] >> (cpu % 64) & 1) cpus.push_back(cpu);
    return cpus;
  }
  return Error{"cannot read the CPU affinity: the kernel's mask is wider than 65536 CPUs"};
}

// "node1". A node may have memory alone.
Result<CpuList> cpus_of_node(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view number = name.substr(std::string_view("node").size());
  const bool is_one = !number.empty() && number.find_first_not_of(kDigits) == number.npos;
  const auto list = is_one ? read_text(fmt::format("/sys/devices/system/node/{}/cpulist", name)) : std::nullopt;
  if (!list) return Error{fmt::format("this machine has no NUMA node \"{}\"", name), "lscpu lists its nodes"};
  if (trimmed(*list).empty()) return Error{fmt::format("{} has no CPU", name), "lscpu lists the nodes"};
  return parse_cpu_list(*list);
}

}  // namespace

Result<CpuList> parse_cpu_list(std::string_view text) {
  const std::string_view list = trimmed(text);
  if (list == "all") return online_cpus();
  if (list.starts_with("node")) return cpus_of_node(list);
  const std::string hint = "a CPU list is like 0,2-5 or 1-7:2, or \"all\", or \"node1\"";
  if (list.empty()) return Error{"the CPU list is empty", hint};
  CpuList cpus;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t comma = std::min(list.find(',', begin), list.size());
    const std::string_view element = list.substr(begin, comma - begin);
    const auto range = parse_range(element);
    if (!range) return Error{fmt::format("\"{}\" in the CPU list \"{}\" is not a CPU or a range", element, list), hint};
    // 64-bit steps: a group near the upper limit must not wrap.
    for (uint64_t start = range->first; start <= range->last; start += range->group)
      for (uint64_t cpu = start; cpu < start + range->used && cpu <= range->last; ++cpu)
        cpus.push_back(static_cast<unsigned>(cpu));
    begin = comma + 1;
  }
  sort_unique(cpus);
  return cpus;
}

std::string to_string(const CpuList& cpus) {
  std::string text;
  for (size_t first = 0; first < cpus.size();) {
    size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += fmt::to_string(cpus[first]);
    if (last > first) text += fmt::format("-{}", cpus[last]);
    first = last + 1;
  }
  return text;
}

// Digits are read from the right. Groups after the first are 32 bits each even when the kernel wrote fewer digits; a
// mask without commas (taskset, irqbalance) is one number of any length.
Result<CpuList> parse_cpu_mask(std::string_view text) {
  const std::string_view mask = trimmed(text);
  const Error malformed{fmt::format("\"{}\" is not a CPU mask", mask), "a CPU mask is like ff or 3,000000ff"};
  const bool grouped = mask.find(',') != std::string_view::npos;
  CpuList cpus;
  uint64_t group_base = 0;
  for (size_t end = mask.size();;) {
    const size_t comma = end == 0 ? std::string_view::npos : mask.rfind(',', end - 1);
    const size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
    const std::string_view group = mask.substr(begin, end - begin);
    if (group.empty() || (grouped && group.size() > 8)) return malformed;
    for (size_t i = 0; i < group.size(); ++i) {
      unsigned nibble = 0;
      const char* digit = &group[group.size() - 1 - i];
      if (std::from_chars(digit, digit + 1, nibble, 16).ec != std::errc{}) return malformed;
      for (unsigned bit = 0; bit < 4; ++bit) {
        if (!(nibble >> bit & 1)) continue;
        const uint64_t cpu = group_base + i * 4 + bit;
        if (cpu > kLargestCpu) return malformed;
        cpus.push_back(static_cast<unsigned>(cpu));
      }
    }
    if (comma == std::string_view::npos) break;
    group_base += 32;
    end = comma;
  }
  sort_unique(cpus);
  return cpus;
}

std::string to_mask(const CpuList& cpus) {
  if (cpus.empty()) return "0";
  std::vector<uint32_t> groups(cpus.back() / 32 + 1);
  for (const unsigned cpu : cpus) groups[cpu / 32] |= uint32_t{1} << cpu % 32;
  std::string text = fmt::format("{:x}", groups.back());
  for (size_t i = groups.size() - 1; i-- > 0;) text += fmt::format(",{:08x}", groups[i]);
  return text;
}

Result<CpuList> present_cpus() {
  return read_list("/sys/devices/system/cpu/present");
}

Result<CpuList> online_cpus() {
  return read_list("/sys/devices/system/cpu/online");
}

Result<CpuList> allowed_cpus() {
  return current_affinity();
}

// Asks for everything and looks at what is left: sched_setaffinity() keeps the intersection with the cpuset. On a
// thread of its own, because the answer is the price of that thread's affinity.
Result<CpuList> assignable_cpus() {
  Result<CpuList> granted = CpuList{};
  std::thread([&granted] {
    const std::vector<uint64_t> everything((kLargestCpu + 1) / 64, ~uint64_t{0});
    if (syscall(SYS_sched_setaffinity, 0, everything.size() * sizeof(uint64_t), everything.data()) != 0)
      granted = system_error("cannot ask for the CPUs of this cpuset", errno);
    else
      granted = current_affinity();
  }).join();
  const std::optional<ShieldDoor> door = ShieldDoor::find();
  const Result<CpuList> online = online_cpus();
  return granted && online && door && door->may_enter() ? union_of(*granted, intersection(door->cpus(), *online))
                                                        : granted;
}

CpuList isolated_cpus() {
  auto cpus = read_list("/sys/devices/system/cpu/isolated");
  return cpus ? *std::move(cpus) : CpuList{};
}

CpuList difference(const CpuList& a, const CpuList& b) {
  CpuList rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

CpuList union_of(const CpuList& a, const CpuList& b) {
  CpuList all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

CpuList intersection(const CpuList& a, const CpuList& b) {
  CpuList both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

bool contains(const CpuList& cpus, unsigned cpu) {
  return std::binary_search(cpus.begin(), cpus.end(), cpu);
}

Status require_usable(const CpuList& cpus) {
  auto present = present_cpus();
  if (!present) return present.error();
  auto online = online_cpus();
  if (!online) return online.error();
  auto assignable = assignable_cpus();
  if (!assignable) return assignable.error();
  return require_usable(cpus, {*present, *online, *assignable});
}

Status require_usable(const CpuList& cpus, const CpuPools& pools) {
  if (cpus.empty()) return Error{"no CPU was named", "name some with -a LIST"};
  for (const unsigned cpu : cpus) {
    if (!contains(pools.present, cpu))
      return Error{fmt::format("CPU {} does not exist", cpu),
                   fmt::format("this machine has {}", to_string(pools.present))};
    if (!contains(pools.online, cpu))
      return Error{fmt::format("CPU {} is offline", cpu),
                   fmt::format("echo 1 > /sys/devices/system/cpu/cpu{}/online brings it up; online are {}", cpu,
                               to_string(pools.online))};
    if (!contains(pools.assignable, cpu))
      return Error{
          fmt::format("CPU {} is not allowed in this process's cpuset", cpu),
          fmt::format("the cpuset (container, systemd slice or shield) holds {}", to_string(pools.assignable))};
  }
  return {};
}

}  // namespace maxlat::core
