// SPDX-License-Identifier: MIT
#include "compared_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <maxlat/core/machine/machine_difference.hpp>
#include <maxlat/core/result/merge.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/stats/exceedance.hpp>
#include <maxlat/core/stats/quantile_interval.hpp>
#include <maxlat/core/stats/repeats.hpp>
#include <maxlat/core/stats/statistics.hpp>
#include <numeric>

#include "compare_words.hpp"
#include "view/box.hpp"
#include "view/measured_alike.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using Kind = Difference::Kind;

constexpr double kLevels[] = {0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};

// A phase in every run of a group; empty where one run does not have it, or not validly.
struct GroupPhase {
  std::vector<const core::Phase*> phases;
  std::vector<core::CpuResult> all;  // its CPUs together, by run
};

GroupPhase phase_in(const RunGroup& group, const std::string& name) {
  GroupPhase found;
  for (const core::RunResult& run : group.runs) {
    const auto phase =
        std::find_if(run.phases.begin(), run.phases.end(), [&](const core::Phase& each) { return each.name == name; });
    if (phase == run.phases.end() || unfit_because(*phase)) return {};
    found.phases.push_back(&*phase);
    found.all.push_back(merge_cpus(*phase));
  }
  return found;
}

// In the order in which they first come.
std::vector<std::string> phase_names(const std::vector<RunGroup>& groups) {
  std::vector<std::string> names;
  for (const RunGroup& group : groups)
    for (const core::RunResult& run : group.runs)
      for (const core::Phase& phase : run.phases)
        if (core::kind_of(phase).measures && !unfit_because(phase) &&
            std::find(names.begin(), names.end(), phase.name) == names.end())
          names.push_back(phase.name);
  return names;
}

struct Figure {
  std::string name;
  double level;  // of a quantile; 0: the mean; 1: the maximum
};

std::vector<Figure> figures() {
  std::vector<Figure> all{{"mean", 0}};
  for (const double level : kLevels) all.push_back({fmt::format("p{:.6g}", level * 100), level});
  all.push_back({"max", 1});
  return all;
}

std::optional<double> value_of(const Figure& figure, const core::CpuResult& all) {
  if (all.samples == 0) return std::nullopt;
  if (figure.level == 0) return all.mean_ns;
  if (figure.level == 1) return all.max_ns;
  if (!core::is_measured(figure.level, all.samples)) return std::nullopt;
  return core::quantile_of(all, figure.level);
}

std::vector<double> values_of(const Figure& figure, const GroupPhase& group) {
  std::vector<double> values;
  for (const core::CpuResult& all : group.all)
    if (const auto value = value_of(figure, all)) values.push_back(*value);
  return values;
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Of all runs of the group, so that what they differ by is in it.
std::optional<core::Interval> interval_of(const Figure& figure, const GroupPhase& group, double confidence) {
  core::Interval whole{INFINITY, -INFINITY};
  for (const core::CpuResult& all : group.all) {
    if (all.samples == 0) return std::nullopt;
    const core::QuantileInterval of_run = core::quantile_interval(all, figure.level, confidence);
    if (!of_run.high_ns) return std::nullopt;
    whole.low = std::min(whole.low, of_run.low_ns);
    whole.high = std::max(whole.high, *of_run.high_ns);
  }
  return whole;
}

// Samples above the limit, those of one step of the time line as one.
uint64_t exceedances(const GroupPhase& group, double limit_ns) {
  uint64_t count = 0;
  for (const core::Phase* phase : group.phases)
    for (const core::CpuResult& cpu : phase->per_cpu) {
      const auto& steps = cpu.timeline.max_ns;
      const auto above = std::count_if(steps.begin(), steps.end(), [&](double max) { return max > limit_ns; });
      const uint64_t samples = core::samples_above(cpu, limit_ns);
      count += steps.empty() ? samples : std::min<uint64_t>(samples, static_cast<uint64_t>(above));
    }
  return count;
}

double watched_s(const GroupPhase& group) {
  return std::accumulate(group.phases.begin(), group.phases.end(), 0.0,
                         [](double sum, const core::Phase* phase) { return sum + phase->exposure_s; });
}

double largest_of(const GroupPhase& group) {
  double largest = 0;
  for (const core::CpuResult& all : group.all) largest = std::max(largest, all.max_ns);
  return largest;
}

// Chance of so many of `group` above the other's maximum, when both have the same tail.
double tail_p(const GroupPhase& group, const GroupPhase& other) {
  const double time = watched_s(group), both = time + watched_s(other);
  if (!(both > 0)) return 1;
  return std::pow(time / both, static_cast<double>(exceedances(group, largest_of(other))));
}

// One figure of one later group against the base: what is to be decided when all are known.
struct Question {
  Difference* answer;
  double p = 1;  // of ranks, where both have repeats enough
  bool by_ranks = false;
  bool shown = false;  // of few runs
};

class Asker {
 public:
  Asker(const CompareOptions& options, size_t questions)
      : options_(options), level_(options.alpha / static_cast<double>(std::max<size_t>(questions, 1))) {}

  Question ask(const Figure& figure, const GroupPhase& base, const GroupPhase& other, Difference& answer) const {
    Question question{&answer};
    const std::vector<double> before = values_of(figure, base), after = values_of(figure, other);
    const auto one = median_of(before), two = median_of(after);
    if (!one || !two || !(*one > 0)) return question;
    answer.ratio = *two / *one;
    if (figure.level == 0) return question;
    answer.kind = Kind::not_shown;
    const size_t needed = core::repeats_needed(level_);
    question.by_ranks =
        before.size() >= needed && after.size() >= needed && before.size() + after.size() <= kMostRanked;
    if (question.by_ranks)
      question.p = core::difference_of_groups(before, after).p;
    else if (figure.level == 1)  // half: which of the two has the longer tail was seen first
      question.shown = tail_p(answer.ratio > 1 ? other : base, answer.ratio > 1 ? base : other) <= level_ / 2;
    else
      question.shown = apart(figure, base, other);
    return question;
  }

 private:
  static constexpr size_t kMostRanked = 60;  // core/stats/repeats.hpp

  bool apart(const Figure& figure, const GroupPhase& base, const GroupPhase& other) const {
    // Half: two intervals of the same quantile that do not touch have not both missed it, but one has.
    const double confidence = 1 - level_ / 2;
    const auto one = interval_of(figure, base, confidence), two = interval_of(figure, other, confidence);
    return one && two && (one->high < two->low || two->high < one->low);
  }

  const CompareOptions& options_;
  double level_;  // of one question among all
};

void decide(std::vector<Question>& questions, const CompareOptions& options) {
  std::vector<double> p;
  for (const Question& question : questions)
    if (question.by_ranks) p.push_back(question.p);
  const std::vector<double> corrected = core::holm(p);
  size_t next = 0;
  for (Question& question : questions) {
    if (question.by_ranks) question.shown = corrected[next++] <= options.alpha;
    Difference& answer = *question.answer;
    if (!question.shown || answer.kind != Kind::not_shown) continue;
    if (answer.ratio >= options.ratio) answer.kind = Kind::larger;
    if (answer.ratio <= 1 / options.ratio) answer.kind = Kind::smaller;
  }
}

std::vector<MachineRow> machine_rows(const std::vector<RunGroup>& groups) {
  std::vector<MachineRow> rows;
  const auto row_of = [&](const std::string& group, const std::string& name) -> MachineRow& {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const MachineRow& row) { return row.group == group && row.name == name; });
    if (found != rows.end()) return *found;
    MachineRow& row = rows.emplace_back(MachineRow{group, name});
    for (const RunGroup& each : groups) row.values.push_back(machine_value(each.runs.front(), group, name));
    return row;
  };
  for (size_t i = 1; i < groups.size(); ++i)
    for (const auto& difference :
         core::machine_differences(groups[0].runs.front().machine, groups[i].runs.front().machine))
      for (const auto& value : difference.values) row_of(difference.group, value.name);
  return rows;
}

// The row of a phase, without answers; and who is to give them.
PhaseRow row_of(const std::string& name, const std::vector<GroupPhase>& by_group) {
  PhaseRow row{.name = name};
  for (const GroupPhase& group : by_group) {
    row.all.push_back(group.all.empty() ? core::CpuResult{} : core::merged(group.all));
    const bool both = !group.phases.empty() && !by_group[0].phases.empty();
    if (row.all.size() == 1) continue;
    row.unlike.push_back(both ? measured_otherwise(*group.phases[0], *by_group[0].phases[0]).value_or("") : "");
  }
  for (const Figure& figure : figures()) {
    FigureRow& each = row.figures.emplace_back(FigureRow{figure.name});
    for (const GroupPhase& group : by_group) each.values_ns.push_back(median_of(values_of(figure, group)));
    each.differences.resize(by_group.size() - 1);
  }
  return row;
}

}  // namespace

bool PhaseRow::in_all_groups() const {
  return std::all_of(all.begin(), all.end(), [](const core::CpuResult& cpu) { return cpu.samples > 0; });
}

ComparedRuns compare_runs(const std::vector<RunGroup>& groups, const CompareOptions& options) {
  ComparedRuns compared;
  for (const RunGroup& group : groups) {
    compared.names.push_back(group.name);
    compared.runs.push_back(group.runs.size());
  }
  compared.machine = machine_rows(groups);
  std::vector<std::vector<GroupPhase>> phases;
  for (const std::string& name : phase_names(groups)) {
    auto& by_group = phases.emplace_back();
    for (const RunGroup& group : groups) by_group.push_back(phase_in(group, name));
    compared.phases.push_back(row_of(name, by_group));
  }
  const std::vector<Figure> all_figures = figures();
  const Asker asker(options, phases.size() * (all_figures.size() - 1) * (groups.size() - 1));
  std::vector<Question> questions;
  for (size_t i = 0; i < phases.size(); ++i)
    for (size_t f = 0; f < all_figures.size(); ++f)
      for (size_t g = 1; g < groups.size(); ++g)
        if (!phases[i][0].phases.empty() && !phases[i][g].phases.empty())
          questions.push_back(
              asker.ask(all_figures[f], phases[i][0], phases[i][g], compared.phases[i].figures[f].differences[g - 1]));
  decide(questions, options);
  say_verdict(compared, options);
  return compared;
}

}  // namespace maxlat::reports
