// SPDX-License-Identifier: MIT
#include "paths_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <maxlat/core/stats/tail_words.hpp>
#include <maxlat/core/sys/duration.hpp>

namespace maxlat::npt {

namespace {

std::string quantile(const core::PathResult& path, double level) {
  const auto ns = core::measured_quantile(path.gaps, level);
  return ns ? core::latency_text(*ns) : "-";
}

}  // namespace

std::string paths_text(const core::Phase& arm, std::string_view line_start) {
  std::string text;
  if (arm.paths.empty()) return text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}{:<30}  {:>12}  {:>10}  {:>10}  {:>10}\n", line_start, "paths of " + arm.arm, "gaps", "median",
                 "p99.9", "max");
  for (const core::PathResult& path : arm.paths)
    fmt::format_to(out, "{}  {:<28}  {:>12}  {:>10}  {:>10}  {:>10}\n", line_start, path.name, path.gaps.samples,
                   quantile(path, 0.5), quantile(path, 0.999), core::latency_text(path.gaps.max_ns));
  fmt::format_to(out, "{}  {}\n", line_start, core::worst_in_words(arm));
  return text;
}

}  // namespace maxlat::npt
