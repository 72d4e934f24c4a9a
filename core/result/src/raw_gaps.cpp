// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <maxlat/core/result/raw_gaps.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <numeric>
#include <utility>

namespace maxlat::core {
namespace {

std::string file_of(const std::string& file, unsigned cpu) {
  return fmt::format("{}.{}", file, cpu);
}

}  // namespace

std::string sysjitter_text(const RawGaps& raw) {
  const auto cycles = [&](double ns) { return std::llround(ns * raw.ticks_per_ns); };
  const double total_ns = std::accumulate(raw.gaps.begin(), raw.gaps.end(), 0.0,
                                          [](double sum, const RawGap& gap) { return sum + gap.length_ns; });
  const double watched_ns = raw.watched_s * 1e9;
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "# cpu_mhz: {:.0f}\n# threshold: {:.0f}ns\n# n_interruptions: {}\n", raw.ticks_per_ns * 1e3,
                 raw.threshold_ns, raw.gaps.size());
  fmt::format_to(out, "# interruption: {:.6f}%\n", watched_ns > 0 ? 100 * total_ns / watched_ns : 0.0);
  fmt::format_to(out, "# total_interruption: {} cycles\n# total_runtime: {} cycles\n", cycles(total_ns),
                 cycles(watched_ns));
  fmt::format_to(out, "# total_interruption: {:.9f} seconds\n# total_runtime: {:.9f} seconds\n", total_ns / 1e9,
                 raw.watched_s);
  if (raw.not_kept > 0) fmt::format_to(out, "# not_kept: {}\n", raw.not_kept);
  text +=
      "#\n"
      "#      Timestamp      delta   <== interruption =>\n"
      "#         (nsec)     (usec)   (cycles)     (nsec)\n";
  double before_ns = raw.gaps.empty() ? 0 : raw.gaps.front().end_ns;
  for (const RawGap& gap : raw.gaps) {
    fmt::format_to(out, "{:>16} {:>10} {:>10} {:>10}\n", std::llround(gap.end_ns),
                   std::llround((gap.end_ns - before_ns) / 1e3), cycles(gap.length_ns), std::llround(gap.length_ns));
    before_ns = gap.end_ns;
  }
  return text;
}

Status check_raw_files(const std::string& file, const CpuList& cpus) {
  if (file.empty()) return {};
  for (const unsigned cpu : cpus)
    if (Status writable = check_writable(file_of(file, cpu)); !writable) return writable;
  return {};
}

Status write_raw_gaps(const std::string& file, std::span<const RawGaps> raw) {
  Status first;
  for (const RawGaps& each : raw) {
    Status written = write_atomically(file_of(file, each.cpu), sysjitter_text(each));
    if (first && !written) first = std::move(written);
  }
  return first;
}

}  // namespace maxlat::core
