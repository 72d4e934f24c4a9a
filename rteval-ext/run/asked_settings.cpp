// SPDX-License-Identifier: MIT
#include "asked_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace maxlat::rteval_ext {

namespace {

// Of the settings that are asked for in one way, or in any.
std::vector<std::string> unlike(const Plan& plan, std::optional<SettingUse> use,
                                const std::vector<core::SettingObservation>& observed) {
  std::vector<std::string> sentences;
  for (const auto& asked : plan.settings) {
    if (use && asked.second != *use) continue;
    const std::string& name = asked.first;
    const auto seen = std::find_if(observed.begin(), observed.end(), [&](const auto& row) { return row.name == name; });
    const bool is_there = seen != observed.end();
    if (is_there && seen->verdict == core::SettingObservation::Verdict::ok) continue;
    sentences.push_back(fmt::format("{} is not as the plan asks: {}{}", name, is_there ? seen->observed : "not known",
                                    is_there && !seen->expected.empty() ? ", and should be " + seen->expected : ""));
  }
  return sentences;
}

}  // namespace

core::Status require_settings(const Plan& plan, const std::vector<core::SettingObservation>& observed) {
  const std::vector<std::string> wrong = unlike(plan, SettingUse::required, observed);
  if (wrong.empty()) return {};
  return core::cannot_run(fmt::format("{}", fmt::join(wrong, "; ")),
                          "maxlat check says how to mend it; without it the plan has no run");
}

void add_not_comparable(const Plan& plan, const std::vector<core::SettingObservation>& observed,
                        std::vector<std::string>& why) {
  for (std::string& sentence : unlike(plan, std::nullopt, observed))
    if (std::find(why.begin(), why.end(), sentence) == why.end()) why.push_back(std::move(sentence));
}

}  // namespace maxlat::rteval_ext
