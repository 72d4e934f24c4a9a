// SPDX-License-Identifier: MIT
#include "looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/npt/measure.hpp>

namespace maxlat::npt {
namespace {

constexpr const char* kAllGaps = "all gaps";

std::size_t rounds_with(const std::vector<Look>& looks, const std::string& gaps) {
  const Look* const look = look_at(looks, gaps);
  return look == nullptr ? 0 : look->rounds.size();
}

// A look that some rounds do not have is not compared, and the arm says so.
void drop_incomplete(ArmLooks& arm, const std::string& gaps, std::size_t complete_rounds) {
  const std::size_t with = rounds_with(arm.looks, gaps);
  if (with == complete_rounds) return;
  arm.missing[gaps] =
      fmt::format("{} of {} rounds have no {}: they are not compared", complete_rounds - with, complete_rounds, gaps);
  std::erase_if(arm.looks, [&](const Look& look) { return look.gaps == gaps; });
}

}  // namespace

void enter(RoundOfArm round, std::vector<Look>& looks) {
  const std::string gaps = round.phase.gaps;
  auto found = std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.gaps == gaps; });
  if (found == looks.end()) found = looks.insert(found, Look{gaps, {}});
  found->rounds.push_back(std::move(round));
}

const Look* look_at(const std::vector<Look>& looks, const std::string& gaps) {
  const auto found = std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.gaps == gaps; });
  return found == looks.end() ? nullptr : &*found;
}

std::vector<std::string> arrange_looks(const std::vector<ArmLooks*>& arms, unsigned complete_rounds) {
  const auto any = [&](auto condition) {
    return std::any_of(arms.begin(), arms.end(), [&](const ArmLooks* arm) { return condition(arm->looks); });
  };
  const bool several = any([](const std::vector<Look>& looks) { return looks.size() > 1; });
  std::vector<std::string> names;
  if (any([](const std::vector<Look>& looks) { return look_at(looks, kGapsWithATracepoint) != nullptr; }))
    names.emplace_back(kGapsWithATracepoint);
  for (ArmLooks* arm : arms) {
    if (arm->looks.empty()) continue;
    if (several && arm->looks.front().gaps.empty()) arm->looks.front().gaps = kAllGaps;
    for (const Look& look : arm->looks)
      if (std::find(names.begin(), names.end(), look.gaps) == names.end()) names.push_back(look.gaps);
  }
  for (ArmLooks* arm : arms)
    for (const std::string& gaps : names) drop_incomplete(*arm, gaps, complete_rounds);
  std::erase_if(names, [&](const std::string& gaps) {
    return !any([&](const std::vector<Look>& looks) { return look_at(looks, gaps) != nullptr; });
  });
  return names;
}

}  // namespace maxlat::npt
