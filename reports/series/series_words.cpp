// SPDX-License-Identifier: MIT
#include "series_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>

namespace maxlat::reports {
namespace {

constexpr size_t kValuesTold = 8;  // of a group that changed: an upgrade brings several packages; the page has all

// "on the run before it", "3 runs later"
std::string distance_text(size_t change, size_t machine) {
  if (change == machine) return "There";
  const size_t runs = change > machine ? change - machine : machine - change;
  return fmt::format("{} {}", core::counted(runs, "run"), change > machine ? "earlier" : "later");
}

SeriesSaid::Finding finding_of(const TrendLine& line) {
  const TrendChange& first = line.changes[*line.first_bad];
  SeriesSaid::Finding finding;
  std::string figures;
  for (const TrendChange& change : line.changes)
    if (change.at == first.at && change.lasting)
      figures += fmt::format("{}{}", figures.empty() ? "" : ", ", change_text(change));
  finding.text = fmt::format("First bad run of {}: {}. {}", line_name(line), run_text(*line.runs[first.at]), figures);
  finding.details.push_back(fmt::format("last good run: {}", run_text(*line.runs[first.at - 1])));
  for (std::string& text : machine_text(line, first)) finding.details.push_back(std::move(text));
  return finding;
}

}  // namespace

std::vector<const TrendLine*> lines_by_urgency(const Trends& trends) {
  std::vector<const TrendLine*> lines;
  for (const TrendLine& line : trends.lines) lines.push_back(&line);
  std::stable_sort(lines.begin(), lines.end(), [](const TrendLine* one, const TrendLine* other) {
    return std::pair(!one->first_bad, one->changes.empty()) < std::pair(!other->first_bad, other->changes.empty());
  });
  return lines;
}

std::string line_name(const TrendLine& line) {
  return fmt::format("{} on {}{}", line.phase, line.box, line.only_way ? "" : " (" + line.how + ")");
}

std::string change_text(const TrendChange& change) {
  return fmt::format("{} {} -> {}{}", change.figure, core::latency_text(change.before_ns),
                     core::latency_text(change.after_ns),
                     change.before_ns > 0 ? fmt::format(" (x {:.3g})", change.after_ns / change.before_ns) : "");
}

std::string run_text(const SeriesRun& run) {
  const std::string where = run.place == "." ? run.path : run.place + "/" + run.path;
  return fmt::format("{}{} ({})", run.started, run.time_of_file ? ", the time of its file" : "", where);
}

std::vector<std::string> machine_text(const TrendLine& line, const TrendChange& change) {
  if (!change.machine)
    return {change.machine_known ? "nothing that is recorded of the machine changed within five runs of it"
                                 : "these results do not tell their machine"};
  std::vector<std::string> texts;
  const MachineChange& machine = *change.machine;
  for (const core::MachineDifference& difference : machine.differences)
    texts.push_back(
        fmt::format("{}, {}", distance_text(change.at, machine.at), core::to_string(difference, kValuesTold)));
  if (machine.at != change.at) texts.push_back(fmt::format("that is {}", run_text(*line.runs[machine.at])));
  if (!machine.restless.empty())
    texts.push_back(fmt::format("also, as often in this series: {}", fmt::join(machine.restless, ", ")));
  return texts;
}

SeriesSaid said_of(const Trends& trends, const SeriesRuns& runs) {
  SeriesSaid said;
  for (const TrendLine& line : trends.lines)
    if (line.first_bad) said.findings.push_back(finding_of(line));
  for (const FirstFail& fail : trends.fails)
    said.findings.push_back(
        {fmt::format("First run of {}{} whose verdict fails: {}", fail.box,
                     fail.plan.empty() ? "" : fmt::format(" by plan {}", fail.plan), run_text(*fail.run)),
         {fmt::format("last pass: {}", run_text(*fail.last_pass))}});
  said.bad = !said.findings.empty();
  size_t short_lines = 0, unalike = 0;
  for (const TrendLine& line : trends.lines) {
    short_lines += line.changes.empty() && line.runs.size() < trends.fewest_runs ? 1 : 0;
    unalike += line.watched_unalike ? 1 : 0;
  }
  if (trends.lines.empty())
    said.limits.push_back("no phase of these results is a valid measurement of a box left alone: there is no trend");
  else if (!said.bad)
    said.findings.push_back({"No figure is shown to have become worse and stayed so", {}});
  if (short_lines > 0)
    said.limits.push_back(fmt::format("{} of {} had fewer than the {} runs of which a change can be told", short_lines,
                                      core::counted(trends.lines.size(), "line"), trends.fewest_runs));
  if (unalike > 0)
    said.limits.push_back(
        fmt::format("{} of {} have runs that were watched more than twice as long as others: a "
                    "maximum grows with the time watched",
                    unalike, core::counted(trends.lines.size(), "line")));
  if (trends.questions > 0)
    said.limits.push_back(fmt::format(
        "{} were asked for changes. Of series in which nothing changes, one in {:.0f} shows a change all the same. "
        "Changes below x {:.3g} are left out",
        core::counted(trends.questions, "figure"), 1 / kCriesWolf, kWorthTelling));
  for (const std::string& note : runs.notes) said.limits.push_back(note);
  return said;
}

std::vector<std::string> reasons_of(const std::vector<SetAside>& aside) {
  std::map<std::string, size_t> counts;
  for (const SetAside& one : aside) ++counts[fmt::format("{}: {}", shown_name(*one.phase), one.phase->why)];
  std::vector<std::pair<size_t, std::string>> order;
  for (const auto& [text, count] : counts) order.emplace_back(count, text);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  for (const auto& [count, text] : order) texts.push_back(fmt::format("{} x {}", count, text));
  return texts;
}

std::vector<Stretch> stretches_of(const TrendLine& line, size_t most) {
  std::vector<Stretch> stretches;
  const size_t runs = line.runs.size(), count = std::min(most, runs);
  for (size_t i = 0; i < count; ++i) {
    Stretch& stretch = stretches.emplace_back(Stretch{runs * i / count, runs * (i + 1) / count, {}});
    for (size_t figure = 0; figure < series_figures().size(); ++figure) {
      std::vector<double> values;
      for (size_t run = stretch.first; run < stretch.end; ++run)
        if (const auto& of = line.phases[run]->figures_ns; figure < of.size() && of[figure])
          values.push_back(*of[figure]);
      const bool largest = figure + 1 == series_figures().size();
      stretch.medians_ns.push_back(values.empty() ? std::nullopt
                                   : largest      ? std::optional(*std::max_element(values.begin(), values.end()))
                                                  : std::optional(core::median(values)));
    }
  }
  return stretches;
}

}  // namespace maxlat::reports
