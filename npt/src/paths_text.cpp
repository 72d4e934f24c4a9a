// SPDX-License-Identifier: MIT
#include "paths_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <maxlat/core/duration.hpp>
#include <maxlat/core/tracer_paths.hpp>

namespace maxlat::npt {

std::string paths_text(const core::Phase& arm, std::string_view line_start) {
  std::string text;
  if (arm.paths.empty()) return text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}{:<30}  {:>12}  {:>10}  {:>10}  {:>10}\n", line_start, "paths of " + arm.arm, "gaps", "median",
                 "p99.9", "max");
  for (const core::PathResult& path : arm.paths)
    fmt::format_to(out, "{}  {:<28}  {:>12}  {:>10}  {:>10}  {:>10}\n", line_start, path.name, path.gaps.samples,
                   core::latency_text(core::quantile_of(path.gaps, 0.5)),
                   core::latency_text(core::quantile_of(path.gaps, 0.999)), core::latency_text(path.gaps.max_ns));
  fmt::format_to(out, "{}  {}\n", line_start, core::worst_in_words(arm));
  return text;
}

}  // namespace maxlat::npt
