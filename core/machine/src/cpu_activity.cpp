// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <maxlat/core/machine/cpu_activity.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/whole_number.hpp>
#include <sstream>
#include <string_view>
#include <vector>

namespace maxlat::core {
namespace {

using Kind = Interruption::Kind;

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "            CPU0       CPU2" -> 0, 2: CPUs that are offline have no column.
std::vector<unsigned> columns_of(const std::string& head) {
  std::vector<unsigned> cpus;
  std::istringstream words(head);
  for (std::string word; words >> word;)
    if (word.starts_with("CPU"))
      if (const auto cpu = whole_number(std::string_view(word).substr(3))) cpus.push_back(static_cast<unsigned>(*cpu));
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
    const auto value = row.counts.size() < columns && row.words.empty() ? whole_number(word) : std::nullopt;
    if (value)
      row.counts.push_back(*value);
    else
      row.words.push_back(word);
  }
  if (row.counts.size() != columns) return std::nullopt;
  return row;
}

Interruption::Kind kind_of(const Row& row) {
  // aarch64's timer is a line with a number, of each CPU its own.
  if (row.name == "LOC" || (!row.words.empty() && row.words.back() == "arch_timer")) return Kind::timer;
  if (all_digits(row.name)) return Kind::device;
  for (const std::string_view sent : {"RES", "CAL", "TLB", "IWI"})
    if (row.name == sent) return Kind::sent;
  return row.name.starts_with("IPI") ? Kind::sent : Kind::other;  // IPI0: aarch64
}

// "PCI-MSI-0000:00:04.0 1-edge virtio1-input.0": chip, the chip's number of it, and the handlers, if there are any.
// Before Linux 6.10 chip and number may be three words ("IR-PCI-MSI 524288-edge nvme0q0", "IO-APIC 8-edge rtc0").
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

struct Table {
  std::vector<unsigned> cpus;
  std::vector<Row> rows;
};

Table table_of(const std::string& text) {
  Table table;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  table.cpus = columns_of(line);
  while (std::getline(lines, line))
    if (auto row = row_of(line, table.cpus.size())) table.rows.push_back(*std::move(row));
  return table;
}

CpuActivity* of_cpu(std::vector<CpuActivity>& activity, unsigned cpu) {
  const auto found = std::find_if(activity.begin(), activity.end(), [&](const auto& each) { return each.cpu == cpu; });
  return found == activity.end() ? nullptr : &*found;
}

// "cpu3 0 0 81 12 33 21 1182 41 69": the last of nine figures.
void add_switches(const std::string& text, std::vector<CpuActivity>& activity) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    if (!name.starts_with("cpu")) continue;
    const auto number_of_cpu = whole_number(std::string_view(name).substr(3));
    CpuActivity* cpu = number_of_cpu ? of_cpu(activity, static_cast<unsigned>(*number_of_cpu)) : nullptr;
    std::vector<std::string> figures;
    while (words >> word) figures.push_back(word);
    if (cpu != nullptr && figures.size() == 9) cpu->switches = whole_number(figures.back());
  }
}

// The kernel counts an interrupt in 32 bits: a timer of 1000 Hz goes round in 50 days.
uint64_t grown(uint64_t before, uint64_t after) {
  constexpr uint64_t kRound = uint64_t{1} << 32;
  if (after >= before) return after - before;
  return before < kRound && before - after > kRound / 2 ? after + kRound - before : after;
}

CpuActivity growth(const CpuActivity& before, const CpuActivity& after) {
  CpuActivity cpu{.cpu = after.cpu};
  for (Interruption line : after.counted) {
    const auto old = std::find_if(before.counted.begin(), before.counted.end(),
                                  [&](const auto& each) { return each.kind == line.kind && each.name == line.name; });
    line.count = grown(old == before.counted.end() ? 0 : old->count, line.count);
    if (line.count > 0) cpu.counted.push_back(std::move(line));
  }
  if (after.switches && before.switches) cpu.switches = grown(*before.switches, *after.switches);
  return cpu;
}

}  // namespace

std::vector<CpuActivity> activity_of(const MachineView& machine) {
  std::vector<CpuActivity> activity;
  const auto text = machine.read_bytes("/proc/interrupts");
  if (!text) return activity;
  const Table interrupts = table_of(*text), softirqs = table_of(machine.read_bytes("/proc/softirqs").value_or(""));
  for (size_t i = 0; i < interrupts.cpus.size(); ++i) {
    CpuActivity& cpu = activity.emplace_back(CpuActivity{.cpu = interrupts.cpus[i]});
    for (const Row& row : interrupts.rows)
      cpu.counted.push_back({.kind = kind_of(row), .name = row.name, .what = what_of(row), .count = row.counts[i]});
  }
  for (size_t i = 0; i < softirqs.cpus.size(); ++i)
    if (CpuActivity* cpu = of_cpu(activity, softirqs.cpus[i]))
      for (const Row& row : softirqs.rows)
        cpu->counted.push_back({.kind = Kind::softirq, .name = row.name, .count = row.counts[i]});
  add_switches(machine.read_bytes("/proc/schedstat").value_or(""), activity);
  return activity;
}

std::vector<CpuActivity> between(const std::vector<CpuActivity>& before, const std::vector<CpuActivity>& after) {
  std::vector<CpuActivity> activity;
  for (const CpuActivity& now : after)
    for (const CpuActivity& then : before)
      if (then.cpu == now.cpu) activity.push_back(growth(then, now));
  return activity;
}

std::vector<CpuActivity> of_cpus(std::vector<CpuActivity> activity, const CpuList& cpus) {
  std::erase_if(activity, [&](const CpuActivity& each) { return !contains(cpus, each.cpu); });
  return activity;
}

}  // namespace maxlat::core
