// SPDX-License-Identifier: MIT
//
// What else ran on the measured CPUs while a phase was under way: one line for each interrupt, softirq and, where
// events named them, task; all CPUs together.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "sections.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kMostLines = 12;

struct Line {
  core::Interruption of;  // its count is that of all CPUs
  unsigned most_cpu = 0;
  uint64_t most = 0;
};

std::vector<Line> lines_of(const core::Phase& phase) {
  std::map<std::tuple<core::Interruption::Kind, std::string, std::string, std::string>, Line> lines;
  const auto add = [&](unsigned cpu, const core::Interruption& each) {
    Line& line = lines[{each.kind, each.name, each.what, each.by}];
    const uint64_t before = line.of.count;
    line.of = each;
    line.of.count += before;
    if (each.count <= line.most) return;
    line.most = each.count;
    line.most_cpu = cpu;
  };
  for (const core::CpuActivity& cpu : phase.activity) {
    for (const core::Interruption& each : cpu.counted) add(cpu.cpu, each);
    for (const core::Interruption& each : cpu.named) add(cpu.cpu, each);
    if (cpu.switches && *cpu.switches > 0)
      add(cpu.cpu, {.kind = core::Interruption::Kind::task, .name = "all switches to tasks", .count = *cpu.switches});
  }
  std::vector<Line> sorted;
  for (auto& [key, line] : lines) sorted.push_back(std::move(line));
  std::stable_sort(sorted.begin(), sorted.end(), [](const Line& a, const Line& b) { return a.of.count > b.of.count; });
  return sorted;
}

}  // namespace

void activity_table(Html& html, const core::Phase& phase) {
  const std::vector<Line> lines = lines_of(phase);
  if (lines.empty() || phase.duration_s <= 0) return;
  html.leaf("h3", "What else ran on the measured CPUs");
  {
    const Table table(html, "Interruptions", {"what", "name", "", "by", "#count", "#a second", "#most on CPU"});
    for (size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
      const auto row = html.element("tr");
      const core::Interruption& each = lines[i].of;
      html.leaf("td", core::shown_word(each.kind));
      for (const std::string& text : {each.name, each.what, each.by}) html.leaf("td", text);
      html.leaf("td", grouped(each.count), {{"class", "n"}});
      html.leaf("td", fmt::format("{:.1f}", static_cast<double>(each.count) / phase.duration_s), {{"class", "n"}});
      html.leaf("td", fmt::to_string(lines[i].most_cpu), {{"class", "n"}});
    }
  }
  if (lines.size() > kMostLines)
    html.leaf("p", fmt::format("And {} more, in the result file.", lines.size() - kMostLines));
}

}  // namespace maxlat::reports
