// SPDX-License-Identifier: MIT
//
// A preemption test: one line for each pair of policies that must or must not preempt, all CPUs together; those that
// did not do as they must are marked, with their CPU. Pairs without a promise are in the result file.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/cpu_list.hpp>
#include <vector>

#include "sections.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

using Verdict = core::PolicyPair::Verdict;

struct PairLine {
  core::PolicyPair all;  // of all CPUs; its latency has the largest of their medians
  unsigned max_cpu = 0;
  core::CpuList broken_on;
};

void add_to(PairLine& line, const core::PolicyPair& pair) {
  line.all.rounds += pair.rounds;
  line.all.preempted += pair.preempted;
  line.all.waited += pair.waited;
  line.all.untold += pair.untold;
  if (pair.verdict() == Verdict::broken) line.broken_on.push_back(pair.cpu);
  if (!pair.latency) return;
  auto& latency = line.all.latency;
  if (!latency || pair.latency->max_ns > latency->max_ns) line.max_cpu = pair.cpu;
  if (!latency) latency = pair.latency;
  latency->min_ns = std::min(latency->min_ns, pair.latency->min_ns);
  latency->median_ns = std::max(latency->median_ns, pair.latency->median_ns);
  latency->max_ns = std::max(latency->max_ns, pair.latency->max_ns);
}

PairLine empty_line_of(const core::PolicyPair& pair) {
  PairLine line;
  line.all = {.running = pair.running, .woken = pair.woken, .promise = pair.promise, .latency = {}};
  line.all.refused = pair.refused;
  return line;
}

std::vector<PairLine> lines_of_pairs(const core::Phase& phase) {
  std::vector<PairLine> lines;
  for (const core::PolicyPair& pair : phase.pairs) {
    if (pair.promise == core::PolicyPair::Promise::may) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const PairLine& other) {
      return other.all.running == pair.running && other.all.woken == pair.woken;
    });
    if (line == lines.end()) line = lines.insert(lines.end(), empty_line_of(pair));
    add_to(*line, pair);
  }
  return lines;
}

void verdict_cell(Html& html, const PairLine& line) {
  const auto cell = html.element("td");
  const Verdict verdict = line.broken_on.empty() ? line.all.verdict() : Verdict::broken;
  if (verdict == Verdict::kept) return html.leaf("span", "ok", {{"class", "chip pass"}});
  if (verdict == Verdict::refused) return html.leaf("span", "refused", {{"class", "chip neutral"}});
  if (verdict == Verdict::not_shown) return html.leaf("span", "not shown", {{"class", "chip invalid"}});
  html.leaf("span", "broken on CPU " + core::to_string(line.broken_on), {{"class", "chip fail"}});
}

}  // namespace

void pairs_table(Html& html, const core::Phase& phase) {
  const std::vector<PairLine> lines = lines_of_pairs(phase);
  if (lines.empty()) return;
  html.leaf("h3", "Preemption, by pairs of scheduling policies");
  html.leaf(
      "p",
      "A thread of the first policy spins on the CPU, one of the second is woken there. Waited: it came only after "
      "the first had ended. Untold: something else had the CPU when it was woken.");
  const Table table(html, "Preemption",
                    {"running", "woken", "preempts", "#preempted", "#waited", "#untold", "#min", "#largest median",
                     "#max", "#on CPU", "result"});
  for (const PairLine& line : lines) {
    const auto row = html.element("tr");
    for (const std::string& text : {line.all.running, line.all.woken, std::string(to_string(line.all.promise))})
      html.leaf("td", text);
    const auto number = [&](const std::string& text) { html.leaf("td", text, {{"class", "n"}}); };
    for (const uint64_t count : {line.all.preempted, line.all.waited, line.all.untold}) number(grouped(count));
    const auto& latency = line.all.latency;
    for (const auto figure :
         {&core::PreemptionLatency::min_ns, &core::PreemptionLatency::median_ns, &core::PreemptionLatency::max_ns})
      number(latency ? latency_html((*latency).*figure) : "\u2013");
    number(latency ? fmt::to_string(line.max_cpu) : "\u2013");
    verdict_cell(html, line);
  }
}

}  // namespace maxlat::reports
