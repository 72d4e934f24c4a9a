// SPDX-License-Identifier: MIT
#include "compare/looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/npt/measure.hpp>

namespace maxlat::npt {
namespace {

constexpr const char* kAllGaps = "all gaps";
constexpr const char* kNoTracepoint = "none";  // the arm

bool has(const std::vector<Look>& looks, const std::string& gaps) {
  return look_at(looks, gaps) != nullptr;
}

// A look that some rounds do not have is not compared, and the whole run's rounds say so.
void drop_incomplete(std::vector<Look>& looks, unsigned complete_rounds) {
  Look& whole = looks.front();
  std::erase_if(looks, [&](const Look& look) {
    const bool incomplete = look.rounds.size() != complete_rounds;
    if (incomplete)
      whole.warnings.push_back(fmt::format("{} of {} rounds have no {}: they are not compared",
                                           complete_rounds - look.rounds.size(), complete_rounds, look.gaps));
    return incomplete;
  });
}

// Where there is nothing to be traced, every gap is what a gap with a tracepoint would be without it.
void lend_all_gaps(std::vector<Look>& looks) {
  Look lent = looks.front();
  lent.gaps = kGapsWithATracepoint;
  for (RoundOfArm& round : lent.rounds) round.phase.events.reset();
  lent.facts["gaps"] = fmt::format("{}: this arm has no tracepoint", looks.front().gaps);
  looks.push_back(std::move(lent));
}

}  // namespace

void enter(RoundOfArm round, std::vector<Look>& looks) {
  const std::string gaps = round.phase.gaps;
  auto found = std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.gaps == gaps; });
  if (found == looks.end()) found = looks.insert(found, Look{gaps, {}, {}, {}});
  found->rounds.push_back(std::move(round));
}

const Look* look_at(const std::vector<Look>& looks, const std::string& gaps) {
  const auto found = std::find_if(looks.begin(), looks.end(), [&](const Look& look) { return look.gaps == gaps; });
  return found == looks.end() ? nullptr : &*found;
}

std::vector<std::string> arrange_looks(const std::vector<std::vector<Look>*>& arms, unsigned complete_rounds) {
  std::vector<std::string> names;
  const auto any = [&](auto condition) {
    return std::any_of(arms.begin(), arms.end(), [&](const auto* looks) { return condition(*looks); });
  };
  for (std::vector<Look>* looks : arms)
    if (!looks->empty()) drop_incomplete(*looks, complete_rounds);
  const bool several = any([](const std::vector<Look>& looks) { return looks.size() > 1; });
  const bool some_have_tracepoints =
      any([](const std::vector<Look>& looks) { return has(looks, kGapsWithATracepoint); });
  if (some_have_tracepoints) names.emplace_back(kGapsWithATracepoint);
  for (std::vector<Look>* looks : arms) {
    if (looks->empty()) continue;
    if (several && looks->front().gaps.empty()) looks->front().gaps = kAllGaps;
    if (some_have_tracepoints && looks->front().rounds.front().phase.arm == kNoTracepoint) lend_all_gaps(*looks);
    for (const Look& look : *looks)
      if (std::find(names.begin(), names.end(), look.gaps) == names.end()) names.push_back(look.gaps);
  }
  return names;
}

}  // namespace maxlat::npt
