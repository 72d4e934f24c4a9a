// SPDX-License-Identifier: MIT
#include "formats/oslat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reading/foreign_histogram.hpp"
#include "reading/imported_run.hpp"

namespace maxlat::importing {
namespace {

// Of a row: what the distances of all rows are multiples of. Rows without samples may be missing, so it may be less.
uint64_t width_ns(const std::vector<std::pair<double, uint64_t>>& rows) {
  uint64_t width = 0;
  for (size_t i = 1; i < rows.size(); ++i)
    width = std::gcd(width, static_cast<uint64_t>(std::llround((rows[i].first - rows[i - 1].first) * kMicrosecond_ns)));
  return width == 0 ? static_cast<uint64_t>(kMicrosecond_ns) : width;
}

}  // namespace

core::Result<core::CpuResult> oslat_result(const OslatThread& thread) {
  auto rows = thread.rows;
  std::sort(rows.begin(), rows.end());
  ForeignHistogram histogram{.who = fmt::format("CPU {}", thread.cpu), .cpu = thread.cpu, .unit_ns = 1};
  for (const auto& [upper_us, count] : rows)
    if (upper_us > 1e9) return core::Error{fmt::format("{} has a row of {} us", histogram.who, upper_us)};
  if (!rows.empty() && thread.max_us > rows.back().first) {
    histogram.overflow = rows.back().second;
    rows.pop_back();
  }
  histogram.width = static_cast<double>(width_ns(rows));
  for (const auto& [upper_us, count] : rows)
    histogram.rows.emplace_back(std::max(0.0, std::round(upper_us * kMicrosecond_ns) - histogram.width), count);
  histogram.min = thread.min_us * kMicrosecond_ns;
  histogram.mean = thread.mean_us * kMicrosecond_ns;
  histogram.max = thread.max_us * kMicrosecond_ns;
  core::Result<core::CpuResult> cpu = cpu_result_of(histogram);
  if (cpu) cpu->exposure_s = thread.duration_s;
  return cpu;
}

core::Phase oslat_phase(const std::string& version, std::vector<core::CpuResult> per_cpu) {
  core::Phase phase = imported_phase("oslat", core::kNptKind, "oslat " + version);
  phase.facts["rounding"] = "up, to a whole microsecond";
  std::sort(per_cpu.begin(), per_cpu.end(), [](const auto& a, const auto& b) { return a.cpu < b.cpu; });
  for (const core::CpuResult& cpu : per_cpu) phase.duration_s = std::max(phase.duration_s, cpu.exposure_s);
  phase.per_cpu = std::move(per_cpu);
  return phase;
}

}  // namespace maxlat::importing
