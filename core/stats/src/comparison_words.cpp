// SPDX-License-Identifier: MIT
#include "comparison_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <maxlat/core/stats/comparison.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <vector>

namespace maxlat::core {
namespace {

using Called = MeasureDifference::Verdict;

constexpr const char* kMaximumLabel = "max";

// "on average", "at 99.9 %"
std::string place_of(const MeasureDifference& measure) {
  if (measure.measure == "mean") return "on average";
  if (measure.measure == "p50") return "at the median";
  if (measure.measure == kMaximumLabel) return "in the maximum";
  return fmt::format("at {} %", measure.measure.substr(1));
}

std::string rounds_text(const MeasureDifference& measure) {
  if (measure.rounds_likely != 0) return fmt::format("{}", measure.rounds_likely);
  return fmt::format("over {:.0f}", kMostRounds);
}

bool lies_below_the_noise(const MeasureDifference& measure) {
  return measure.noise_floor_ns && measure.interval_ns.low >= -*measure.noise_floor_ns &&
         measure.interval_ns.high <= *measure.noise_floor_ns;
}

}  // namespace

std::string in_words(const Comparison& comparison) {
  if (comparison.rounds < comparison.rounds_needed)
    return fmt::format("no verdict on {} against {}: {} round{}, {} are needed", comparison.arm, comparison.base,
                       comparison.rounds, comparison.rounds == 1 ? "" : "s", comparison.rounds_needed);
  std::vector<std::string> adds, saves, same, open;
  std::string of_the_maximum;
  for (const MeasureDifference& measure : comparison.measures) {
    if (measure.verdict == Called::different) {
      const std::string much = latency_text(std::abs(measure.difference_ns)) + " " + place_of(measure);
      (measure.difference_ns > 0 ? adds : saves).push_back(much);
    } else if (measure.verdict == Called::not_shown) {
      open.push_back(fmt::format("{} ({})", place_of(measure), rounds_text(measure)));
    } else if (measure.verdict == Called::same) {
      if (measure.measure == kMaximumLabel && lies_below_the_noise(measure))
        of_the_maximum =
            "; the maximum differs by less than the noise floor of " + latency_text(*measure.noise_floor_ns);
      else
        same.push_back(place_of(measure));
    }
  }
  std::string text = comparison.arm;
  if (!adds.empty()) text += fmt::format(" adds {}", fmt::join(adds, ", "));
  if (!saves.empty()) text += fmt::format("{} {}", adds.empty() ? " saves" : " and saves", fmt::join(saves, ", "));
  if (adds.empty() && saves.empty()) {
    text = fmt::format("no difference found between {} and {}", comparison.arm, comparison.base);
    if (!same.empty()) text += fmt::format(": the same {}", fmt::join(same, ", "));
  }
  text += of_the_maximum;
  if (!open.empty()) text += fmt::format("; not shown, with the rounds likely to decide: {}", fmt::join(open, ", "));
  return text + fmt::format(" ({}{})", counted(comparison.rounds, "round"),
                            comparison.gaps.empty() ? "" : ", " + comparison.gaps);
}

std::string verdict_text(const MeasureDifference& measure) {
  if (measure.verdict != Called::not_shown) return to_string(measure.verdict);
  return fmt::format("{} ({} rounds may)", to_string(measure.verdict), rounds_text(measure));
}

}  // namespace maxlat::core
