// SPDX-License-Identifier: MIT
#include "compare_words.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  bool worse = false, measured = false;
};

Said said_of(const ComparedRuns& compared, const PhaseRow& phase, size_t other) {
  const std::string& name = compared.names[other + 1];
  if (phase.all[0].samples == 0 || phase.all[other + 1].samples == 0)
    return {fmt::format("{} is not measured in {}", phase.name, phase.all[0].samples == 0 ? compared.names[0] : name)};
  const std::string larger = changed(phase, other, Kind::larger), smaller = changed(phase, other, Kind::smaller);
  std::string text = fmt::format("{} in {}: ", phase.name, name);
  if (larger.empty() && smaller.empty()) text += "no difference is shown";
  if (!larger.empty()) text += "worse, " + larger;
  if (!larger.empty() && !smaller.empty()) text += "; but ";
  if (!smaller.empty()) text += "better, " + smaller;
  if (!phase.unlike[other].empty()) text += fmt::format(" (not measured alike: {})", phase.unlike[other]);
  return {std::move(text), !larger.empty(), true};
}

}  // namespace

void say_verdict(ComparedRuns& compared, const CompareOptions& options) {
  std::vector<std::string> rest;
  bool any_measured = false;
  for (const PhaseRow& phase : compared.phases)
    for (size_t other = 0; other + 1 < compared.names.size(); ++other) {
      Said said = said_of(compared, phase, other);
      any_measured = any_measured || said.measured;
      compared.worse = compared.worse || said.worse;
      compared.alike = compared.alike && said.measured && phase.unlike[other].empty();
      (said.worse ? compared.verdict : rest).push_back(std::move(said.text));
    }
  compared.alike = compared.alike && any_measured;
  compared.verdict.insert(compared.verdict.end(), rest.begin(), rest.end());
  if (!any_measured) compared.verdict.push_back("no phase is measured in both: there is nothing to compare");
  if (std::any_of(compared.runs.begin(), compared.runs.end(), [](size_t runs) { return runs == 1; }))
    compared.verdict.push_back(
        "one run does not tell how a build differs from itself: what is shown is of these runs. Folders of repeats "
        "tell more");
  compared.verdict.push_back(
      fmt::format("differences below x {:.3g} are not told, and of all figures together one in "
                  "{:.0f} comparisons may cry wolf",
                  options.ratio, 1 / options.alpha));
}

std::string difference_text(const Difference& difference) {
  if (difference.ratio == 0) return "";
  std::string text = fmt::format("x {:.3g}", difference.ratio);
  if (difference.kind == Kind::larger) text += ", worse";
  if (difference.kind == Kind::smaller) text += ", better";
  return text;
}

std::string group_text(const ComparedRuns& compared, size_t group) {
  if (compared.runs[group] == 1) return compared.names[group];
  return fmt::format("{} ({})", compared.names[group], core::counted(compared.runs[group], "run"));
}

}  // namespace maxlat::reports
