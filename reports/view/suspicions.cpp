// SPDX-License-Identifier: MIT
#include "suspicions.hpp"

#include <fmt/format.h>

#include <maxlat/core/sys/duration.hpp>

namespace maxlat::reports {

std::vector<std::string> suspicions(const PhaseView& view) {
  const TailHint hint = tail_hint(view);
  std::vector<std::string> sentences;
  if (hint.stretched)
    sentences.push_back(
        fmt::format("The maximum is {:.0f} times p99: such a tail mostly comes from outside the thing measured.",
                    *hint.max_to_p99));
  if (hint.all_cpus_at_once)
    sentences.emplace_back(
        "The largest samples of all CPUs go together, as when all of them were stopped at once (hypervisor, firmware, "
        "stop_machine).");
  else if (hint && hint.spread_of_maxima)
    sentences.push_back(
        fmt::format("The maxima of the CPUs differ by {:.0f} %, so not all of them were stopped at once.",
                    100 * *hint.spread_of_maxima));
  if (hint.period_s)
    sentences.push_back(fmt::format("The largest samples come every {}: look for a timer, a cron job or a watchdog.",
                                    core::duration_text(*hint.period_s)));
  return sentences;
}

std::string suspicion_words(const PhaseView& view) {
  const TailHint hint = tail_hint(view);
  std::vector<std::string> words;
  if (hint.stretched) words.push_back(fmt::format("its maximum is {:.0f} times p99", *hint.max_to_p99));
  if (hint.all_cpus_at_once) words.emplace_back("all CPUs were late together");
  if (hint.period_s) words.push_back(fmt::format("the largest come every {}", core::duration_text(*hint.period_s)));
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? ", and " : ", ") + words[i];
  return text;
}

std::vector<std::string> suspicious_phases(const std::vector<PhaseView>& views) {
  std::vector<std::string> phases;
  for (const PhaseView& view : views) {
    if (unfit_because(view.phase)) continue;
    std::string text;
    for (const std::string& one : suspicions(view)) text += " " + one;
    if (!text.empty()) phases.push_back(core::shown_name(view.phase) + ", because:" + text);
  }
  return phases;
}

}  // namespace maxlat::reports
