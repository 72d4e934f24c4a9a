// SPDX-License-Identifier: MIT
#include "paths_text.hpp"

#include <fmt/format.h>

#include <maxlat/core/stats/tail_words.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text_table.hpp>

namespace maxlat::npt {

namespace {

std::string quantile(const core::PathResult& path, double level) {
  const auto ns = core::measured_quantile(path.gaps, level);
  return ns ? core::latency_text(*ns) : "-";
}

}  // namespace

std::string paths_text(const core::Phase& arm, std::string_view line_start) {
  if (arm.paths.empty()) return {};
  core::TextTable table({"paths of " + arm.arm, "#gaps", "#median", "#p99.9", "#max"});
  table.at_least({30, 12, 10, 10, 10});
  for (const core::PathResult& path : arm.paths)
    table.row({"  " + path.name, std::to_string(path.gaps.samples), quantile(path, 0.5), quantile(path, 0.999),
               core::latency_text(path.gaps.max_ns)});
  return table.text(UINT_MAX, std::string(line_start)) + fmt::format("{}  {}\n", line_start, core::worst_in_words(arm));
}

}  // namespace maxlat::npt
