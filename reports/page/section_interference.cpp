// SPDX-License-Identifier: MIT
//
// What the kernel ran on the measured CPUs, by its events: how often, how long and the longest of each; all CPUs
// together.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sections.hpp"
#include "view/latest_wakeups.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

constexpr size_t kMostRows = 15, kMostWakeups = 10;

struct Row {
  core::InterferenceRow of;  // of all CPUs
  unsigned largest_cpu = 0;
};

std::vector<Row> rows_of(const core::Phase& phase) {
  std::map<std::pair<core::TimeClass, std::string>, Row> rows;
  for (const core::CpuInterference& of_cpu : phase.interference)
    for (const core::InterferenceRow& each : of_cpu.rows) {
      Row& row = rows[{each.kind, each.name}];
      row.of.kind = each.kind;
      row.of.name = each.name;
      row.of.count += each.count;
      row.of.ns += each.ns;
      if (each.largest_ns < row.of.largest_ns) continue;
      row.of.largest_ns = each.largest_ns;
      row.largest_cpu = of_cpu.cpu;
    }
  std::vector<Row> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.of.ns > b.of.ns; });
  return sorted;
}

// Of a meter that is another program: its own samples have no time, these have.
void wakeups_table(Html& html, const core::Phase& phase) {
  const std::vector<LatestWakeup> all = latest_wakeups({&phase}, kMostWakeups);
  if (all.empty()) return;
  html.leaf("h3", "Latest wake-ups, by the kernel's events");
  html.leaf(
      "p",
      "From the time at which the timer was due to the switch to the meter's thread. The meter's own figure has the "
      "way back to its read of the clock, too.");
  const Table table(html, "Latest wake-ups",
                    {"#latency", "#CPU", "#after the start", "#late interrupt", "#handler", "#waking",
                     "#others running", "who had the time"});
  for (const auto& [wakeup, cpu, of] : all) {
    const auto row = html.element("tr");
    const auto& late_ns = wakeup->late_interrupt_ns;
    for (const std::string& figure :
         {latency_html(wakeup->latency_ns), fmt::to_string(cpu), fmt::format("{:.6f}\u202fs", wakeup->t_ns / 1e9),
          late_ns ? latency_html(*late_ns) : std::string("unknown"), latency_html(wakeup->handler_ns),
          latency_html(wakeup->waking_ns), latency_html(wakeup->others_ns)})
      html.leaf("td", figure, {{"class", "n"}});
    html.leaf("td", core::accounting_text(wakeup->accounting));
  }
}

}  // namespace

void interference_table(Html& html, const core::Phase& phase) {
  wakeups_table(html, phase);
  double watched_ns = 0, undisturbed_ns = 0;
  for (const core::CpuInterference& of_cpu : phase.interference) {
    watched_ns += of_cpu.watched_ns;
    undisturbed_ns += of_cpu.undisturbed_ns;
  }
  if (watched_ns <= 0) return;
  html.leaf("h3", "What the kernel ran on the measured CPUs");
  html.leaf("p", fmt::format("By its own events, from the start of the meter to its end. For {:.4f} % of the time the "
                             "meter's thread had its CPU, or nobody.",
                             100 * undisturbed_ns / watched_ns));
  const std::vector<Row> rows = rows_of(phase);
  {
    const Table table(html, "Interference", {"what", "#count", "#time", "#% of all time", "#largest", "#on CPU"});
    for (size_t i = 0; i < rows.size() && i < kMostRows; ++i) {
      const core::InterferenceRow& each = rows[i].of;
      const auto row = html.element("tr");
      html.leaf("td", core::name_of({.kind = each.kind, .name = each.name}));
      html.leaf("td", grouped(each.count), {{"class", "n"}});
      for (const std::string& figure : {latency_html(each.ns), fmt::format("{:.4f}", 100 * each.ns / watched_ns),
                                        latency_html(each.largest_ns), fmt::to_string(rows[i].largest_cpu)})
        html.leaf("td", figure, {{"class", "n"}});
    }
  }
  if (rows.size() > kMostRows) html.leaf("p", fmt::format("And {} more, in the result file.", rows.size() - kMostRows));
}

}  // namespace maxlat::reports
