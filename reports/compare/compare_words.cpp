// SPDX-License-Identifier: MIT
#include "compare_words.hpp"

#include <fmt/format.h>

#include <map>
#include <maxlat/core/sys/counted.hpp>

namespace maxlat::reports {
namespace {

using Kind = Difference::Kind;

// "p99.9 x 1.4, max x 6.2"
std::string changed(const PhaseRow& phase, size_t other, Kind kind) {
  std::string text;
  for (const FigureRow& figure : phase.figures) {
    const Difference& difference = figure.differences[other];
    if (difference.kind != kind) continue;
    text += fmt::format("{}{} x {:.3g}", text.empty() ? "" : ", ", figure.name, difference.ratio);
  }
  return text;
}

// What is said of one phase in one group.
struct Said {
  std::string text;
  bool worse = false, undecided = false, measured = false, comparable = true;
};

Said said_of(const ComparedRuns& compared, const PhaseRow& phase, size_t other) {
  const std::string& name = compared.names[other + 1];
  const bool in_base = phase.all[0].samples > 0, in_other = phase.all[other + 1].samples > 0;
  if (!in_base && !in_other)
    return {fmt::format("{} is measured neither in {} nor in {}", phase.name, compared.names[0], name)};
  if (!in_base || !in_other)
    return {fmt::format("{} is not measured in {}", phase.name, in_base ? name : compared.names[0])};
  std::string what;
  const auto add = [&](const char* word, Kind kind) {
    const std::string figures = changed(phase, other, kind);
    if (!figures.empty()) what += fmt::format("{}{}, {}", what.empty() ? "" : "; ", word, figures);
    return !figures.empty();
  };
  Said said;
  said.measured = true;
  said.worse = add("worse", Kind::larger);
  add("better", Kind::smaller);
  said.undecided = add("larger in these runs", Kind::larger_here);
  add("smaller in these runs", Kind::smaller_here);
  for (const FigureRow& figure : phase.figures)
    if (const std::string& why = figure.differences[other].not_comparable; !why.empty()) {
      what += fmt::format("{}{} is not comparable, {}", what.empty() ? "" : "; ", figure.name, why);
      said.comparable = false;
    }
  said.text = fmt::format("{} in {}: {}", phase.name, name, what.empty() ? "no difference is shown" : what);
  if (!phase.unlike[other].empty()) said.text += fmt::format(" (not measured alike: {})", phase.unlike[other]);
  return said;
}

// "npt in new: samples are taken as independent at p50, p90: nearly every step …", a sentence for each reason.
void say_what_is_assumed(ComparedRuns& compared) {
  for (const PhaseRow& phase : compared.phases)
    for (size_t other = 0; other + 1 < compared.names.size(); ++other) {
      std::map<std::string, std::string> figures;  // by the reason
      for (const FigureRow& figure : phase.figures)
        if (const std::string& why = figure.differences[other].taken_as_independent; !why.empty())
          figures[why] += (figures[why].empty() ? "" : ", ") + figure.name;
      for (const auto& [why, names] : figures)
        compared.verdict.push_back(fmt::format("{} in {}: samples are taken as independent at {}: {}", phase.name,
                                               compared.names[other + 1], names, why));
    }
}

}  // namespace

void say_verdict(ComparedRuns& compared, const CompareOptions& options) {
  std::vector<std::string> rest;
  bool any_measured = false;
  for (const PhaseRow& phase : compared.phases)
    for (size_t other = 0; other + 1 < compared.names.size(); ++other) {
      Said said = said_of(compared, phase, other);
      any_measured |= said.measured;
      compared.worse |= said.worse;
      compared.undecided |= said.undecided;
      compared.alike &= said.measured && said.comparable && phase.unlike[other].empty();
      (said.worse ? compared.verdict : rest).push_back(std::move(said.text));
    }
  compared.alike &= any_measured && compared.spoiled.empty();
  compared.verdict.insert(compared.verdict.end(), rest.begin(), rest.end());
  if (!any_measured) compared.verdict.push_back("no phase is measured in both: there is nothing to compare");
  compared.verdict.insert(compared.verdict.end(), compared.spoiled.begin(), compared.spoiled.end());
  say_what_is_assumed(compared);
  if (compared.by_ranks)
    compared.verdict.push_back(
        fmt::format("of all figures together one in {:.0f} comparisons cries wolf", 1 / options.alpha));
  else
    compared.verdict.push_back(
        "so few runs do not know how a build differs from itself: two runs of the same build may differ as these do. "
        "Folders of repeats tell more, and maxlat plan-length how many are needed");
  compared.verdict.push_back(fmt::format("differences below x {:.3g} are left out", options.ratio));
}

std::string difference_text(const Difference& difference) {
  if (difference.ratio == 0) return "";
  std::string text = fmt::format("x {:.3g}", difference.ratio);
  if (!difference.not_comparable.empty()) text += ", not comparable";
  if (difference.kind == Kind::larger_here) text += ", larger here";
  if (difference.kind == Kind::smaller_here) text += ", smaller here";
  const bool larger = difference.kind == Kind::larger;
  if (!larger && difference.kind != Kind::smaller) return text;
  text += larger ? ", worse" : ", better";
  if (!difference.share_greater) return text;
  const double share = larger ? *difference.share_greater : 1 - *difference.share_greater;
  return text + fmt::format(" in {:.0f} % of pairs", 100 * share);
}

std::string no_machine_difference(const ComparedRuns& compared) {
  if (!compared.machines_known) return "not every run tells its machine; no difference among the others";
  return compared.machine_not_told.empty() ? "no difference" : "no difference in what all of them tell";
}

std::string group_text(const ComparedRuns& compared, size_t group) {
  if (compared.runs[group] == 1) return compared.names[group];
  return fmt::format("{} ({})", compared.names[group], core::counted(compared.runs[group], "run"));
}

}  // namespace maxlat::reports
