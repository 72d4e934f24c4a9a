// SPDX-License-Identifier: MIT
//
// One limit on one metric of some phases. Which metrics there are is a table (metric_definition.hpp).
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace maxlat::reports {

struct Rule {
  std::string phase;   // name, else kind, of phases; "*": all that measure the box, so no arm of a tracer
  std::string metric;  // the name with its unit: "max_ns", "p99.9_ns", "exposure_s", "load_alive"
  double limit = 0;    // in that unit; 1 where there is no number
  // Beyond a soft limit is a warning. It is a failure only where the metric is judged on each CPU, and more than this
  // share of the phase's CPUs are beyond it.
  bool soft = false;
  std::optional<double> cpus_over = {};
};

// ERRORS: no phase, unknown metric, a limit that is negative or no number.
core::Result<Rule> make_rule(const std::string& phase, const std::string& metric, double limit);

// A limit as a file has it.
using WrittenLimit = std::variant<bool, double, std::string>;
// In words (max, "50us") or for programs (max_ns, 50000).
// ERRORS: as above; a value that is not written as this metric needs it. They do not name the key.
core::Result<Rule> read_limit(const std::string& phase, const std::string& key, const WrittenLimit& written);
// "max" or "max_ns": "max_ns". ERRORS: there is no such metric.
core::Result<std::string> metric_named(const std::string& key);
// The value of a rule as a file has it, for its metric: "50000", "true".
std::string written_limit(const Rule& rule);

}  // namespace maxlat::reports
