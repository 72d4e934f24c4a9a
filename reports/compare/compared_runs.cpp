// SPDX-License-Identifier: MIT
#include "compared_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <maxlat/core/result/merge.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/stats/quantile_interval.hpp>
#include <maxlat/core/stats/repeats.hpp>
#include <maxlat/core/stats/sample_dependence.hpp>
#include <maxlat/core/stats/statistics.hpp>

#include "compare_words.hpp"
#include "compared_machines.hpp"
#include "view/measured_alike.hpp"
#include "view/phase_view.hpp"

namespace maxlat::reports {
namespace {

using Kind = Difference::Kind;

// A phase in every run of a group; empty where one run does not have it, or not so that it can be compared.
struct GroupPhase {
  std::vector<const core::Phase*> phases;
  std::vector<core::CpuResult> all;  // its CPUs together, by run
};

GroupPhase phase_in(const RunGroup& group, const std::string& name) {
  GroupPhase found;
  for (const core::RunResult& run : group.runs) {
    const auto phase =
        std::find_if(run.phases.begin(), run.phases.end(), [&](const core::Phase& each) { return each.name == name; });
    if (phase == run.phases.end() || unfit_because(*phase) || ends_at_a_limit(*phase)) return {};
    found.phases.push_back(&*phase);
    found.all.push_back(merge_cpus(*phase));
  }
  return found;
}

// In the order in which they first come. What cannot run here says nothing of a build.
std::vector<std::string> phase_names(const std::vector<RunGroup>& groups) {
  std::vector<std::string> names;
  for (const RunGroup& group : groups)
    for (const core::RunResult& run : group.runs)
      for (const core::Phase& phase : run.phases)
        if (core::kind_of(phase).measures && phase.status != core::PhaseStatus::skipped &&
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
  for (const core::QuantileLevel& level : core::kQuantileLevels) all.push_back({level.label, level.level});
  all.push_back({"max", 1});
  return all;
}

std::optional<double> value_of(const Figure& figure, const core::CpuResult& all) {
  if (all.samples == 0) return std::nullopt;
  if (figure.level == 0) return all.mean_ns;
  if (figure.level == 1) return all.max_ns;
  return core::measured_quantile(all, figure.level);
}

std::vector<double> values_of(const Figure& figure, const GroupPhase& group) {
  std::vector<double> values;
  for (const core::Phase* phase : group.phases)
    if (figure.level < 1 && not_told(*phase, 0)) return {};  // of the longer samples alone they are none
  for (const core::CpuResult& all : group.all)
    if (const auto value = value_of(figure, all)) values.push_back(*value);
  return values;
}

std::optional<double> median_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(core::median(values));
}

// Of all runs of the group, so that what they differ by is in it. `assumed`: why samples are taken as independent.
std::optional<core::Interval> interval_of(const Figure& figure, const GroupPhase& group, double confidence,
                                          std::string& assumed) {
  core::Interval whole{INFINITY, -INFINITY};
  for (size_t run = 0; run < group.all.size(); ++run) {
    const core::CpuResult& all = group.all[run];
    const auto observed_ns = value_of(figure, all);
    if (!observed_ns) return std::nullopt;
    const auto dependence = core::dependence_beyond(all, group.phases[run]->per_cpu, *observed_ns);
    if (assumed.empty()) assumed = dependence.assumed_because;
    const core::QuantileInterval of_run =
        core::quantile_interval(all, figure.level, confidence, dependence.samples_for_one);
    if (!of_run.high_ns) return std::nullopt;
    whole.low = std::min(whole.low, of_run.low_ns);
    whole.high = std::max(whole.high, *of_run.high_ns);
  }
  return whole;
}

// RETURNS: why the groups' maxima are not ranked; nothing: they may be.
std::string not_watched_alike(const GroupPhase& base, const GroupPhase& other) {
  std::vector<const core::Phase*> all = base.phases;
  all.insert(all.end(), other.phases.begin(), other.phases.end());
  return maxima_apart_because(all).value_or("");
}

// What a group shows of a tail: events, and how much was watched for them.
struct Watched {
  uint64_t events = 0;        // steps, or samples
  uint64_t disturbances = 0;  // of steps: those that follow one another are one
  double of = 0;              // CPU time, or samples
};

// Steps in which the limit was exceeded on any CPU. A running maximum tells only that it has risen.
std::vector<bool> steps_above(const core::Phase& phase, double limit_ns) {
  std::vector<bool> above;
  for (const core::CpuResult& cpu : phase.per_cpu) {
    const auto& steps = cpu.timeline.max_ns;
    above.resize(std::max(above.size(), steps.size()));
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool rises = cpu.timeline.kind == core::Timeline::Kind::max || i == 0 || steps[i] > steps[i - 1];
      if (steps[i] > limit_ns && rises) above[i] = true;
    }
  }
  return above;
}

// Of a bin that the limit divides nothing is known to lie above it but the maximum. What is beyond the histogram lies
// above its last edge.
uint64_t samples_beyond(const core::CpuResult& cpu, double limit_ns) {
  if (cpu.max_ns <= limit_ns) return 0;
  uint64_t count = !cpu.bins.empty() && cpu.bins.back().high_ns >= limit_ns ? cpu.overflow_count : 0;
  for (const core::Bin& bin : cpu.bins) count += bin.low_ns >= limit_ns ? bin.count : 0;
  return std::max<uint64_t>(count, 1);
}

bool has_time_lines(const GroupPhase& group) {
  return std::all_of(group.phases.begin(), group.phases.end(), [](const core::Phase* phase) {
    return phase->exposure_s > 0 && std::all_of(phase->per_cpu.begin(), phase->per_cpu.end(),
                                                [](const auto& cpu) { return !cpu.timeline.max_ns.empty(); });
  });
}

Watched watched(const GroupPhase& group, double limit_ns, bool by_steps) {
  Watched watched;
  for (const core::Phase* phase : group.phases) {
    if (by_steps) {
      const std::vector<bool> above = steps_above(*phase, limit_ns);
      for (size_t i = 0; i < above.size(); ++i) {
        watched.events += above[i];
        watched.disturbances += above[i] && (i == 0 || !above[i - 1]);
      }
      watched.of += phase->exposure_s;
      continue;
    }
    for (const core::CpuResult& cpu : phase->per_cpu) {
      watched.events += samples_beyond(cpu, limit_ns);
      watched.of += static_cast<double>(cpu.samples);
    }
  }
  return watched;
}

double largest_of(const GroupPhase& group) {
  double largest = 0;
  for (const core::CpuResult& all : group.all) largest = std::max(largest, all.max_ns);
  return largest;
}

// Chance of so much of `group` above the other's maximum, when both have the same tail. Twice that of this side, for
// the side is known only when both have been seen.
struct TailChance {
  double of_events = 1;
  double of_disturbances = 1;  // 1, too, where nobody tells which events are of the same one: there is no time line
};

TailChance tail_chance(const GroupPhase& group, const GroupPhase& other) {
  const bool by_steps = has_time_lines(group) && has_time_lines(other);
  const Watched here = watched(group, largest_of(other), by_steps), there = watched(other, 0, by_steps);
  if (!(here.of > 0) || !(there.of > 0)) return {};
  const auto chance = [share = here.of / (here.of + there.of)](uint64_t count) {
    return 2 * std::pow(share, static_cast<double>(count));
  };
  return {.of_events = chance(here.events), .of_disturbances = by_steps ? chance(here.disturbances) : 1};
}

// One figure of one later group against the base.
struct Question {
  const Figure* figure;
  const GroupPhase *base, *other;
  Difference* answer;
  std::vector<double> before, after;  // by run
  bool alike = true;                  // both were measured in the same way
  double p = 1;                       // of ranks
};

// Where both have the figure; else there is nothing to ask.
std::optional<Question> question_of(const Figure& figure, const GroupPhase& base, const GroupPhase& other, bool alike,
                                    Difference& answer) {
  Question question{&figure, &base, &other, &answer, values_of(figure, base), values_of(figure, other), alike};
  const auto one = median_of(question.before), two = median_of(question.after);
  if (!one || !two || !(*one > 0)) return std::nullopt;
  answer.ratio = *two / *one;
  if (figure.level == 0) return std::nullopt;
  answer.kind = Kind::not_shown;
  return question;
}

bool has_repeats(const Question& question, double level) {
  const size_t needed = core::repeats_needed(level);
  return question.before.size() >= needed && question.after.size() >= needed;
}

bool intervals_apart(const Question& question, double confidence) {
  std::string assumed;
  const auto one = interval_of(*question.figure, *question.base, confidence, assumed);
  const auto two = interval_of(*question.figure, *question.other, confidence, assumed);
  if (one && two)
    question.answer->taken_as_independent = assumed;  // else it is not by an interval that they are judged
  return one && two && (one->high < two->low || two->high < one->low);
}

void decide(Question& question, bool shown, bool of_builds, const CompareOptions& options) {
  Difference& answer = *question.answer;
  if (!shown) return;
  if (answer.ratio >= options.ratio) answer.kind = of_builds ? Kind::larger : Kind::larger_here;
  if (answer.ratio <= 1 / options.ratio) answer.kind = of_builds ? Kind::smaller : Kind::smaller_here;
}

// RETURNS: whether ranks judged them all.
bool answer_all(std::vector<Question>& questions, const CompareOptions& options) {
  const double level = options.alpha / static_cast<double>(std::max<size_t>(questions.size(), 1));
  std::vector<Question*> ranked;
  std::vector<double> p;
  for (Question& question : questions) {
    const bool repeated = has_repeats(question, level);
    if (repeated && question.figure->level == 1)
      question.answer->not_comparable = not_watched_alike(*question.base, *question.other);
    if (!question.answer->not_comparable.empty()) {
      question.answer->kind = Kind::not_judged;
    } else if (repeated) {
      ranked.push_back(&question);
      const core::GroupDifference difference = core::difference_of_groups(question.before, question.after);
      question.answer->ratio = 1 + difference.shift / core::median(question.before);
      question.answer->share_greater = difference.share_greater;
      p.push_back(difference.p);
    } else if (question.figure->level == 1) {
      const bool other_is_larger = question.answer->ratio > 1;
      const TailChance chance =
          other_is_larger ? tail_chance(*question.other, *question.base) : tail_chance(*question.base, *question.other);
      decide(question, chance.of_events <= options.alpha, question.alike && chance.of_disturbances <= level, options);
    } else {
      decide(question, intervals_apart(question, 1 - level), false, options);
    }
  }
  // Those by ranks have their share of the level, and Holm's order among themselves.
  const double share = options.alpha * static_cast<double>(p.size()) / static_cast<double>(questions.size());
  const std::vector<double> corrected = core::holm(p);
  for (size_t i = 0; i < ranked.size(); ++i) decide(*ranked[i], corrected[i] <= share, ranked[i]->alike, options);
  const auto judged = std::count_if(questions.begin(), questions.end(),
                                    [](const Question& each) { return each.answer->kind != Kind::not_judged; });
  return static_cast<std::ptrdiff_t>(ranked.size()) == judged;
}

// Of a group's runs the first that is no repeat of those before it.
std::optional<std::string> no_repeat_in(const RunGroup& group) {
  std::vector<const core::RunResult*> runs;
  for (const core::RunResult& run : group.runs) runs.push_back(&run);
  const auto why = no_repeats_because(runs);
  return why ? std::optional(fmt::format("{}, {}", group.name, *why)) : std::nullopt;
}

std::vector<std::string> spoiled_in(const std::vector<RunGroup>& groups) {
  std::vector<std::string> spoiled;
  std::map<std::string, std::string> where;  // by the id of a run
  for (const RunGroup& group : groups) {
    if (const auto other = no_repeat_in(group)) spoiled.push_back(*other);
    for (const core::RunResult& run : group.runs) {
      const std::string name = fmt::format("{}, run {}", group.name, run.id);
      if (const auto incomplete = incomplete_because(run)) spoiled.push_back(fmt::format("{}: {}", name, *incomplete));
      for (const std::string& control : failed_controls(run)) spoiled.push_back(fmt::format("{}: {}", name, control));
      for (const core::Phase& phase : run.phases)
        if (const auto why = ends_at_a_limit(phase))
          spoiled.push_back(fmt::format("{}: {}: {}", name, phase.name, *why));
      if (const auto [first, is_new] = where.emplace(run.id, group.name); !is_new)
        spoiled.push_back(fmt::format("{} is also in {}: a run does not repeat itself", name, first->second));
    }
  }
  return spoiled;
}

// Of any run of the group against any of the base.
std::string unlike_in(const GroupPhase& base, const GroupPhase& group) {
  for (const core::Phase* before : base.phases)
    for (const core::Phase* after : group.phases)
      if (auto otherwise = measured_otherwise(*after, *before)) return *otherwise;
  return "";
}

// The row of a phase, without answers; and who is to give them.
PhaseRow row_of(const std::string& name, const std::vector<GroupPhase>& by_group) {
  PhaseRow row{.name = name};
  for (const GroupPhase& group : by_group)
    for (const core::Phase* phase : group.phases)
      if (core::is_upper_bound(*phase)) row.name = core::shown_name(*phase);
  for (const GroupPhase& group : by_group)
    row.all.push_back(group.all.empty() ? core::CpuResult{} : core::merged(group.all));
  for (size_t i = 1; i < by_group.size(); ++i) {
    std::string unlike = unlike_in(by_group[0], by_group[0]);  // repeats that are none
    row.unlike.push_back(unlike.empty() ? unlike_in(by_group[0], by_group[i]) : std::move(unlike));
  }
  for (const Figure& figure : figures()) {
    FigureRow& each = row.figures.emplace_back(FigureRow{figure.name});
    for (const GroupPhase& group : by_group) each.values_ns.push_back(median_of(values_of(figure, group)));
    each.differences.resize(by_group.size() - 1);
  }
  return row;
}

}  // namespace

ComparedRuns compare_runs(const std::vector<RunGroup>& groups, const CompareOptions& options) {
  ComparedRuns compared;
  for (const RunGroup& group : groups) {
    compared.names.push_back(group.name);
    compared.runs.push_back(group.runs.size());
  }
  compare_machines(groups, compared);
  compared.spoiled = spoiled_in(groups);
  std::vector<std::vector<GroupPhase>> phases;
  for (const std::string& name : phase_names(groups)) {
    auto& by_group = phases.emplace_back();
    for (const RunGroup& group : groups) by_group.push_back(phase_in(group, name));
    compared.phases.push_back(row_of(name, by_group));
  }
  const std::vector<Figure> all_figures = figures();
  std::vector<Question> questions;
  for (size_t i = 0; i < phases.size(); ++i)
    for (size_t f = 0; f < all_figures.size(); ++f)
      for (size_t g = 1; g < groups.size(); ++g)
        if (auto question =
                question_of(all_figures[f], phases[i][0], phases[i][g], compared.phases[i].unlike[g - 1].empty(),
                            compared.phases[i].figures[f].differences[g - 1]))
          questions.push_back(std::move(*question));
  compared.by_ranks = answer_all(questions, options);
  say_verdict(compared, options);
  return compared;
}

}  // namespace maxlat::reports
