// SPDX-License-Identifier: MIT
#include "series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <maxlat/core/stats/change_points.hpp>
#include <maxlat/core/stats/comparison.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <tuple>

#include "machine_change.hpp"

namespace maxlat::reports {
namespace {

// Enough to see a shift of the body, of the tail, and of its end.
bool is_asked(const std::string& figure) {
  return figure == "p50" || figure == "p99" || figure == "p99.9" || figure == "p99.99" || figure == "max";
}

// The runs of a line that have one figure.
struct Asked {
  TrendLine* line;
  size_t figure;
  std::vector<double> values;
  std::vector<size_t> runs;  // index in the line, of each value
};

std::vector<TrendLine> lines_of(const SeriesRuns& series, Trends& into) {
  std::map<std::tuple<std::string, std::string, std::string>, TrendLine> by_key;
  for (const SeriesRun& run : series.runs)
    for (const SeriesPhase& phase : run.phases) {
      if (phase.use != SeriesPhase::Use::headline) {
        (phase.use == SeriesPhase::Use::investigation ? into.investigations : into.not_valid).push_back({&run, &phase});
        continue;
      }
      TrendLine& line = by_key[{run.box, shown_name(phase), phase.how}];
      line.runs.push_back(&run);
      line.phases.push_back(&phase);
    }
  std::vector<TrendLine> lines;
  for (auto& [key, line] : by_key) {
    std::tie(line.box, line.phase, line.how) = key;
    if (!lines.empty() && lines.back().box == line.box && lines.back().phase == line.phase)
      lines.back().only_way = line.only_way = false;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Asked> asked_of(TrendLine& line) {
  std::vector<Asked> asked;
  for (size_t figure = 0; figure < series_figures().size(); ++figure) {
    if (!is_asked(series_figures()[figure])) continue;
    Asked one{&line, figure, {}, {}};
    for (size_t i = 0; i < line.phases.size(); ++i) {
      const auto& figures = line.phases[i]->figures_ns;
      if (figure >= figures.size() || !figures[figure]) continue;
      one.values.push_back(*figures[figure]);
      one.runs.push_back(i);
    }
    if (one.values.size() >= 2 * core::kLeastOfPart) asked.push_back(std::move(one));
  }
  return asked;
}

double median_watched(const TrendLine& line, size_t first, size_t end) {
  std::vector<double> watched;
  for (size_t i = first; i < end; ++i) watched.push_back(line.phases[i]->exposure_s);
  return core::median(std::move(watched));
}

bool watched_alike_around(const TrendLine& line, size_t at) {
  const double before = median_watched(line, 0, at), behind = median_watched(line, at, line.phases.size());
  return core::watched_alike(before, behind);
}

// Ranks tell that there is a change and, where one side is much longer than the other, its place only roughly. Of a
// step from one level to another the place is where the fewest values lie on the wrong side of the middle between them.
size_t place_of_step(const std::vector<double>& values, const core::ChangePoint& change, size_t first, size_t end) {
  const double middle = (change.median_before + change.median_after) / 2;
  const bool rises = change.median_after > change.median_before;
  const auto is_late = [&](double value) { return rises ? value > middle : value < middle; };
  std::ptrdiff_t wrong = 0, fewest = 0;  // against the place `first`
  size_t place = first;
  for (size_t i = first; i < end; ++i) {
    wrong += is_late(values[i]) ? 1 : -1;
    if (wrong >= fewest) continue;
    fewest = wrong;
    place = i + 1;
  }
  return place > first && place < end ? place : change.at;
}

// Worse, and every later level is, too.
bool lasts(const std::vector<core::ChangePoint>& changes, size_t i) {
  return std::all_of(changes.begin() + static_cast<std::ptrdiff_t>(i), changes.end(),
                     [&](const auto& later) { return later.median_after >= kWorthTelling * changes[i].median_before; });
}

void answer(Asked& asked, size_t questions) {
  const std::string& figure = series_figures()[asked.figure];
  const std::vector<core::ChangePoint> changes = core::change_points(asked.values);
  for (size_t i = 0; i < changes.size(); ++i) {
    const core::ChangePoint& change = changes[i];
    const auto [low, high] = std::minmax(change.median_before, change.median_after);
    if (change.p * static_cast<double>(questions) > kCriesWolf || high < kWorthTelling * low) continue;
    const size_t first = i == 0 ? 0 : changes[i - 1].at,
                 end = i + 1 < changes.size() ? changes[i + 1].at : asked.values.size();
    const size_t at = asked.runs[place_of_step(asked.values, change, first, end)];
    if (figure == "max" && !watched_alike_around(*asked.line, at)) continue;
    asked.line->changes.push_back({figure,
                                   at,
                                   change.median_before,
                                   change.median_after,
                                   change.p,
                                   change.median_after > change.median_before && lasts(changes, i),
                                   {}});
  }
}

void finish(TrendLine& line) {
  std::stable_sort(line.changes.begin(), line.changes.end(),
                   [](const TrendChange& one, const TrendChange& other) { return one.at < other.at; });
  for (size_t i = 0; i < line.changes.size() && !line.first_bad; ++i)
    if (line.changes[i].lasting) line.first_bad = i;
  double shortest = INFINITY, longest = 0;
  for (const SeriesPhase* phase : line.phases) {
    shortest = std::min(shortest, phase->exposure_s);
    longest = std::max(longest, phase->exposure_s);
  }
  line.watched_unalike = !core::watched_alike(shortest, longest);
  look_for_machine_changes(line);
}

bool has_headline(const SeriesRun& run) {
  return std::any_of(run.phases.begin(), run.phases.end(),
                     [](const SeriesPhase& phase) { return phase.use == SeriesPhase::Use::headline; });
}

std::vector<FirstFail> first_fails(const SeriesRuns& series) {
  struct Seen {
    const SeriesRun *pass = nullptr, *fail = nullptr;
  };
  std::map<std::pair<std::string, std::string>, Seen> by_box_and_plan;
  for (const SeriesRun& run : series.runs) {
    if (!has_headline(run)) continue;
    Seen& seen = by_box_and_plan[{run.box, run.plan}];
    if (run.verdict == "pass") seen = {&run, nullptr};
    if (run.verdict == "fail" && seen.pass != nullptr && seen.fail == nullptr) seen.fail = &run;
  }
  std::vector<FirstFail> fails;
  for (const auto& [key, seen] : by_box_and_plan)
    if (seen.fail != nullptr) fails.push_back({key.first, key.second, seen.fail, seen.pass});
  return fails;
}

}  // namespace

Trends trends_of(const SeriesRuns& runs) {
  Trends trends;
  trends.lines = lines_of(runs, trends);
  std::vector<Asked> asked;
  for (TrendLine& line : trends.lines)
    for (Asked& one : asked_of(line)) asked.push_back(std::move(one));
  trends.questions = asked.size();
  trends.fewest_runs = core::fewest_for_change(kCriesWolf / static_cast<double>(std::max<size_t>(trends.questions, 1)));
  for (Asked& one : asked) answer(one, trends.questions);
  for (TrendLine& line : trends.lines) finish(line);
  trends.fails = first_fails(runs);
  return trends;
}

}  // namespace maxlat::reports
