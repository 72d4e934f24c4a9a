// SPDX-License-Identifier: MIT
#include "view/culprits.hpp"

#include <fmt/format.h>

#include <map>
#include <maxlat/core/result/culprit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::reports {

std::vector<std::string> culprit_lines(const std::vector<PhaseView>& views) {
  std::vector<std::string> lines;
  for (const PhaseView& view : views) {
    const core::CpuResult* const worst = worst_cpu(view.phase);
    const std::string culprit = core::culprit_words(view.phase);
    if (!is_of_the_box(view.phase) || worst == nullptr || culprit.empty()) continue;
    lines.push_back(core::printable(fmt::format("{}: {} on CPU {}: {}", core::shown_name(view.phase),
                                                core::latency_text(worst->max_ns), worst->cpu, culprit)));
  }
  return lines;
}

std::vector<std::string> not_watched_lines(const std::vector<PhaseView>& views) {
  std::map<std::string, std::string> phases;  // by reason
  for (const PhaseView& view : views) {
    const std::string why = core::not_watched_because(view.phase);
    if (!is_of_the_box(view.phase) || view.all.samples == 0 || why.empty()) continue;
    std::string& names = phases[why];
    names += (names.empty() ? "" : ", ") + core::shown_name(view.phase);
  }
  std::vector<std::string> lines;
  for (const auto& [why, names] : phases)
    lines.push_back(core::printable(
        fmt::format("who had it is not known of {}: the kernel's events are not recorded: {}", names, why)));
  return lines;
}

}  // namespace maxlat::reports
