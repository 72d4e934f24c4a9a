// SPDX-License-Identifier: MIT
#include "preempt_summary.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/counted.hpp>

namespace maxlat::scheduling {

PreemptSummary summary_of(const core::Phase& phase) {
  using Verdict = core::PolicyPair::Verdict;
  PreemptSummary summary;
  for (const core::PolicyPair& pair : phase.pairs) {
    if (pair.promise == core::PolicyPair::Promise::may) continue;
    const Verdict verdict = pair.verdict();
    summary.kept += verdict == Verdict::kept;
    if (verdict == Verdict::broken) summary.broken.push_back(&pair);
    if (verdict == Verdict::not_shown) summary.not_shown.push_back(&pair);
  }
  return summary;
}

void conclude(core::Phase& phase) {
  phase.status = core::PhaseStatus::ok;
  phase.reason.clear();
  for (const core::PolicyPair& pair : phase.pairs)
    if (!pair.refused.empty()) phase.facts["refused"] = pair.refused;
  const auto not_shown = summary_of(phase).not_shown;
  if (not_shown.empty()) return;
  phase.status = core::PhaseStatus::invalid;
  const std::string further =
      not_shown.size() == 1 ? "" : fmt::format(", nor in {}", core::counted(not_shown.size() - 1, "further pair"));
  phase.reason = fmt::format(
      "{}: in none of {} had the running thread the CPU when the other one was woken{}; is something else busy there?",
      shown_name(*not_shown.front()), core::counted(not_shown.front()->rounds, "round"), further);
}

}  // namespace maxlat::scheduling
