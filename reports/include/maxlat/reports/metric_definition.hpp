// SPDX-License-Identifier: MIT
//
// What a limit can be about: a row of a table. Adding a metric is one file that defines one of these, and a row in
// reports/CMakeLists.txt (docs/where-to-change-what.md). Plans, gate files, the options and the help of `maxlat gate`
// read the table; nothing else has to know of a new one.
//
// A metric has two names. In words it is `name`, and its limit is written with a unit: max = "50us". For programs, and
// in results, the unit is in the name: max_ns = 50000. So a bare number never stands without a unit. A family of
// metrics is one row, too: each quantile (p99, p99.99) is a metric.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/reports/rule.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::reports {

// number: the name says of what. required: there is no number, only `true`.
enum class MetricUnit { nanoseconds, seconds, number, required };
// Equal passes either way.
enum class Bound { at_most, at_least };

// What a phase says. Neither of the two reasons is ever a pass.
struct Observation {
  double value = 0;
  // Of a value that is known by an interval, and whose lower end is judged: the upper end, for a waiver's ceiling.
  std::optional<double> at_most{};
  std::string text{};          // stands for the value where a number tells nothing ("alive")
  std::string note{};          // stands behind the value
  std::string not_measured{};  // why there is no value; empty: there is one
  std::string not_shown{};     // why a value within the limit does not show that it is kept; empty: it does
};

struct MetricDefinition {
  std::string_view name;  // in words: "max"; of a family, as help writes it: "pQ"
  MetricUnit unit = MetricUnit::nanoseconds;
  Bound bound = Bound::at_most;
  std::string_view wanted = {};  // of a required one, what is: "alive"

  // Of `maxlat gate`: the option (none: the metric is for files), what it takes (of a family "Q=TIME", once for each
  // metric), and one line of help.
  std::string_view option = {};
  std::string_view argument = {};
  std::string_view help = {};

  // Of a family: whether the name is one of its metrics.
  bool (*has_name)(std::string_view name) = nullptr;
  // What every name of a family begins with, for a hint to those who left it out.
  std::string_view begins_with = {};

  // Where the value is, one of the three. A metric of a CPU is judged on each, and the worst is told; it is only
  // asked of CPUs that have samples, and neither this nor that of a phase is asked of a phase that is not valid. A
  // metric of a phase is asked of phases that take samples, and of others only with `without_samples`.
  Observation (*of_cpu)(const core::CpuResult& cpu, const Rule& rule) = nullptr;
  Observation (*of_phase)(const core::RunResult& run, const core::Phase& phase, const Rule& rule) = nullptr;
  Observation (*of_run)(const core::RunResult& run, const Rule& rule) = nullptr;
  bool without_samples = false;

  // The shortest latency that a phase must have samples of, or it has not measured this: 0 for a quantile of all
  // samples. So has not a phase that ends at its first sample above a limit. Null: the largest samples are enough.
  double (*needs_samples_from_ns)(std::string_view metric) = nullptr;

  // Which phases a rule on all phases, or on those of a kind, is about; null: those of the box, and all of the kind.
  // A phase that is named is always judged. `nowhere` completes "not measured: " when a rule on all has none.
  bool (*concerns)(const core::RunResult& run, const core::Phase& phase) = nullptr;
  std::string_view nowhere = {};
};

// Another program may add its own before it reads anything.
std::vector<const MetricDefinition*>& metric_table();

// "p99.9_ns" in words: "p99.9".
std::string name_in_words(const MetricDefinition& definition, std::string_view metric);
// By the name with its unit, as Rule::metric has it; null: there is none.
const MetricDefinition* find_metric(std::string_view metric);
// "<= 50000 ns (50.0 us)", with the comparison that is made.
std::string limit_text(const MetricDefinition& definition, double limit);
// A limit that is a number has a unit: "ns", "s"; nothing where the name says it.
std::string_view unit_text(MetricUnit unit);
// A value of this unit, without its limit.
std::string value_text(MetricUnit unit, double value);

}  // namespace maxlat::reports
