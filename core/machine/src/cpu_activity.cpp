// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/machine/cpu_activity.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <sstream>
#include <string_view>
#include <vector>

namespace maxlat::core {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "            CPU0       CPU2" -> 0, 2: CPUs that are offline have no column.
std::vector<unsigned> columns_of(const std::string& head) {
  std::vector<unsigned> cpus;
  std::istringstream words(head);
  for (std::string word; words >> word;)
    if (word.starts_with("CPU"))
      if (const auto cpu = number(std::string_view(word).substr(3))) cpus.push_back(static_cast<unsigned>(*cpu));
  return cpus;
}

// A line with one number for each CPU and words behind. Those that count for the machine alone (ERR, MIS) have fewer.
struct Row {
  std::string name;
  std::vector<uint64_t> counts;
  std::vector<std::string> words;
};

std::optional<Row> row_of(const std::string& line, size_t columns) {
  const size_t colon = line.find(':');
  if (colon == std::string::npos) return std::nullopt;
  Row row;
  row.name = trimmed(line.substr(0, colon));
  std::istringstream rest(line.substr(colon + 1));
  for (std::string word; rest >> word;) {
    const auto value = row.counts.size() < columns && row.words.empty() ? number(word) : std::nullopt;
    if (value)
      row.counts.push_back(*value);
    else
      row.words.push_back(word);
  }
  if (row.counts.size() != columns) return std::nullopt;
  return row;
}

InterruptKind kind_of(const Row& row) {
  // aarch64's timer is a line with a number, of each CPU its own.
  if (row.name == "LOC" || (!row.words.empty() && row.words.back() == "arch_timer")) return InterruptKind::timer;
  if (all_digits(row.name)) return InterruptKind::device;
  for (const std::string_view sent : {"RES", "CAL", "TLB", "IWI"})
    if (row.name == sent) return InterruptKind::sent;
  return row.name.starts_with("IPI") ? InterruptKind::sent : InterruptKind::other;  // IPI0: aarch64
}

// "PCI-MSI-0000:00:04.0 1-edge virtio1-input.0": chip, the chip's number of it, and the handlers, if there are any. Before
// Linux 6.10 chip and number may be three words ("IR-PCI-MSI 524288-edge nvme0q0", "IO-APIC 8-edge rtc0").
std::string what_of(const Row& row) {
  const auto& words = row.words;
  auto from = words.begin();
  if (all_digits(row.name)) {
    const auto trigger = std::find_if(words.begin(), words.end(), [](const std::string& word) {
      return word.ends_with("edge") || word.ends_with("level") || word.ends_with("fasteoi") || word == "Edge" ||
             word == "Level";
    });
    if (trigger != words.end() && trigger + 1 != words.end()) from = trigger + 1;
  }
  return fmt::format("{}", fmt::join(from, words.end(), " "));
}

void add_interrupts(const std::string& text, Activity& activity) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::vector<unsigned> cpus = columns_of(line);
  for (const unsigned cpu : cpus) activity[cpu];
  while (std::getline(lines, line)) {
    const auto row = row_of(line, cpus.size());
    if (!row) continue;
    for (size_t i = 0; i < cpus.size(); ++i)
      activity[cpus[i]].interrupts[row->name] = {kind_of(*row), what_of(*row), row->counts[i]};
  }
}

void add_softirqs(const std::string& text, Activity& activity) {
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const std::vector<unsigned> cpus = columns_of(line);
  while (std::getline(lines, line)) {
    const auto row = row_of(line, cpus.size());
    if (!row) continue;
    for (size_t i = 0; i < cpus.size(); ++i)
      if (const auto cpu = activity.find(cpus[i]); cpu != activity.end())
        cpu->second.softirqs[row->name] = row->counts[i];
  }
}

// "cpu3 0 0 81 12 33 21 1182 41 69": the last of nine figures.
void add_switches(const std::string& text, Activity& activity) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    if (!name.starts_with("cpu")) continue;
    const auto cpu = number(std::string_view(name).substr(3));
    const auto found = cpu ? activity.find(static_cast<unsigned>(*cpu)) : activity.end();
    if (found == activity.end()) continue;
    std::vector<std::string> figures;
    while (words >> word) figures.push_back(word);
    if (figures.size() == 9) found->second.switches = number(figures.back());
  }
}

// The kernel counts an interrupt in 32 bits: a timer of 1000 Hz goes round in 50 days.
uint64_t grown(uint64_t before, uint64_t after) {
  constexpr uint64_t kRound = uint64_t{1} << 32;
  if (after >= before) return after - before;
  return before < kRound && before - after > kRound / 2 ? after + kRound - before : after;
}

}  // namespace

Activity activity_of(const MachineView& machine) {
  Activity activity;
  const auto interrupts = machine.read_bytes("/proc/interrupts");
  if (!interrupts) return activity;
  add_interrupts(*interrupts, activity);
  add_softirqs(machine.read_bytes("/proc/softirqs").value_or(""), activity);
  add_switches(machine.read_bytes("/proc/schedstat").value_or(""), activity);
  return activity;
}

Activity between(const Activity& before, const Activity& after) {
  Activity difference;
  for (const auto& [number, now] : after) {
    const auto then = before.find(number);
    if (then == before.end()) continue;
    CpuActivity& cpu = difference[number];
    for (const auto& [name, line] : now.interrupts) {
      const auto old = then->second.interrupts.find(name);
      const uint64_t count = grown(old == then->second.interrupts.end() ? 0 : old->second.count, line.count);
      if (count > 0) cpu.interrupts[name] = {line.kind, line.what, count};
    }
    for (const auto& [name, total] : now.softirqs) {
      const auto old = then->second.softirqs.find(name);
      const uint64_t count = grown(old == then->second.softirqs.end() ? 0 : old->second, total);
      if (count > 0) cpu.softirqs[name] = count;
    }
    if (now.switches && then->second.switches) cpu.switches = grown(*then->second.switches, *now.switches);
  }
  return difference;
}

uint64_t interrupts_of(const CpuActivity& cpu, InterruptKind kind) {
  uint64_t sum = 0;
  for (const auto& [name, line] : cpu.interrupts) sum += line.kind == kind ? line.count : 0;
  return sum;
}

}  // namespace maxlat::core
