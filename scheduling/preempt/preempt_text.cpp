// SPDX-License-Identifier: MIT
#include "preempt_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text_table.hpp>

#include "preempt_summary.hpp"
#include "record/outlier_text.hpp"

namespace maxlat::scheduling {
namespace {

using Verdict = core::PolicyPair::Verdict;

std::string verdict_text(const core::PolicyPair& pair) {
  switch (pair.verdict()) {
    case Verdict::kept:
      return "ok";
    case Verdict::broken:
      return "BROKEN";
    case Verdict::not_shown:
      return "not shown";
    case Verdict::refused:
      return "refused";
    case Verdict::no_promise:
      break;
  }
  return "";
}

bool worth_a_line(const core::PolicyPair& pair) {
  const bool must_preempt = pair.promise == core::PolicyPair::Promise::must && pair.refused.empty();
  const bool promised_in_vain = pair.promise != core::PolicyPair::Promise::may && pair.verdict() != Verdict::kept;
  return must_preempt || (promised_in_vain && pair.refused.empty());
}

std::string table_of(const core::Phase& phase, unsigned cpu, bool every_pair) {
  core::TextTable table(
      {"running", "woken", "preempts", "#rounds", "#preempted", "#waited", "#untold", "#min", "#median", "#max", ""});
  for (const core::PolicyPair& pair : phase.pairs) {
    if (pair.cpu != cpu || !(every_pair || worth_a_line(pair))) continue;
    std::vector<std::string> cells{pair.running, pair.woken, to_string(pair.promise)};
    for (const uint64_t count : {pair.rounds, pair.preempted, pair.waited, pair.untold})
      cells.push_back(fmt::to_string(count));
    for (const auto figure :
         {&core::PreemptionLatency::min_ns, &core::PreemptionLatency::median_ns, &core::PreemptionLatency::max_ns})
      cells.push_back(pair.latency ? core::latency_text((*pair.latency).*figure) : "-");
    cells.push_back(verdict_text(pair));
    table.row(std::move(cells));
  }
  return fmt::format("CPU {}:\n{}", cpu, table.text());
}

std::string refusals(const core::Phase& phase) {
  std::vector<std::string> told;
  std::string text;
  for (const core::PolicyPair& pair : phase.pairs) {
    if (pair.refused.empty()) continue;
    std::string line = fmt::format("Refused: {}\n", pair.refused);
    if (std::find(told.begin(), told.end(), line) != told.end()) continue;
    text += line;
    told.push_back(std::move(line));
  }
  return text;
}

}  // namespace

std::string preempt_text(const core::Phase& phase, bool verbose) {
  std::string text;
  for (const core::CpuResult& cpu : phase.per_cpu) text += table_of(phase, cpu.cpu, verbose);
  const PreemptSummary summary = summary_of(phase);
  text += fmt::format("Pairs that did as they must: {} of {}\n", summary.kept,
                      summary.kept + summary.broken.size() + summary.not_shown.size());
  for (const core::PolicyPair* pair : summary.broken) text += fmt::format("Broken: {}\n", broken_text(*pair));
  text += refusals(phase);
  for (const core::CpuResult& cpu : phase.per_cpu)
    if (cpu.samples > 0)
      text += fmt::format("CPU {}: those that must preempt took {} to {}, half of them at most {}\n", cpu.cpu,
                          core::latency_text(cpu.min_ns), core::latency_text(cpu.max_ns),
                          core::latency_text(core::quantile_of(cpu, 0.5)));
  if (const auto events = phase.facts.find(core::fact::kKernelEvents); events != phase.facts.end())
    text += fmt::format("Kernel events {}\n", events->second);
  for (const std::string& warning : phase.warnings) text += "Warning: " + warning + "\n";
  if (!phase.reason.empty()) text += fmt::format("{}: {}\n", core::to_string(phase.status), phase.reason);
  return text + outlier_text(phase, "The largest delay", verbose);
}

}  // namespace maxlat::scheduling
