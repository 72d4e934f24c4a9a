// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <maxlat/import/cyclictest.hpp>
#include <sstream>

#include "formats/cyclictest_agreement.hpp"
#include "formats/rt_tests_json.hpp"
#include "reading/foreign_histogram.hpp"
#include "reading/json_reading.hpp"

namespace maxlat::importing {

namespace {

using nlohmann::json;

core::CpuResult thread_result(const json& thread, const std::string& name, double unit_ns) {
  ForeignHistogram histogram{.who = fmt::format("thread {}", name), .unit_ns = unit_ns};
  histogram.rows = histogram_of(thread, histogram.who);
  histogram.cpu = rt_tests_cpu(thread, histogram.who);
  histogram.samples = count_of(thread, "cycles", histogram.who);
  // What it says of its extremes and its mean is not of a sample.
  if (histogram.samples == 0 && histogram.rows.empty()) {
    core::CpuResult silent;
    silent.cpu = histogram.cpu;
    return silent;
  }
  histogram.min = number_of(thread, "min", histogram.who);
  histogram.max = number_of(thread, "max", histogram.who);
  histogram.mean = number_of(thread, "avg", histogram.who);
  core::CpuResult cpu = value_or_throw(cpu_result_of(histogram));
  if (const core::Status agrees = agrees_with_rows(cpu, histogram.who); !agrees) throw Mistake{agrees.error().text};
  return cpu;
}

// Of the first thread that took none. Where none took any, there is nothing to keep.
std::string told_of_no_sample(const std::vector<core::CpuResult>& per_cpu) {
  const auto is_silent = [](const core::CpuResult& cpu) { return cpu.samples == 0; };
  const auto silent = std::find_if(per_cpu.begin(), per_cpu.end(), is_silent);
  if (silent == per_cpu.end()) return {};
  if (std::all_of(per_cpu.begin(), per_cpu.end(), is_silent)) throw Mistake{"no thread of it took a sample"};
  return fmt::format("the thread on CPU {} took no sample", silent->cpu);
}

// Here, so that it costs its phase only: the run's own file takes nothing that is not valid.
void check(const CyclictestReport& report) {
  core::Phase phase;
  phase.name = "cyclictest";
  phase.per_cpu = report.per_cpu;
  core::RunResult run;
  run.phases.push_back(std::move(phase));
  if (const core::Status valid = core::validate(run); !valid) throw Mistake{valid.error().text};
}

CyclictestReport report_of(const json& document) {
  CyclictestReport report{rt_tests_head(document, "cyclictest"), {}, {}};
  // 1 with -N; a version that does not tell knew microseconds alone.
  // Compared as it is: a number that is none would not fit into an int.
  const auto resolution = document.find("resolution_in_ns");
  const double unit_ns = resolution != document.end() && *resolution == 1 ? 1 : kMicrosecond_ns;
  for (const auto& [name, thread] : rt_tests_threads(document).items())
    report.per_cpu.push_back(thread_result(thread, name, unit_ns));
  std::sort(report.per_cpu.begin(), report.per_cpu.end(), [](const auto& a, const auto& b) { return a.cpu < b.cpu; });
  report.no_sample = told_of_no_sample(report.per_cpu);
  check(report);
  return report;
}

// "T: 0 ( 7534) P:95 I:100 C:   9990 Min:      7 Act:   15 Avg:   13 Max:     158"
bool parse_status_line(const std::string& line, size_t& thread, double& max_us) {
  unsigned index = 0, process = 0;
  long max = 0;
  const size_t at = line.find("Max:");
  if (at == std::string::npos || std::sscanf(line.c_str(), "T:%u (%u)", &index, &process) != 2) return false;
  if (std::sscanf(line.c_str() + at, "Max:%ld", &max) != 1 || max < 0) return false;
  thread = index;
  max_us = static_cast<double>(max);
  return true;
}

}  // namespace

core::Status agrees_with_rows(const core::CpuResult& cpu, const std::string& who) {
  if (cpu.bins.empty()) return {};
  if (cpu.min_ns < cpu.bins.front().low_ns)
    return core::Error{fmt::format("{}: the minimum {} ns is in no row", who, cpu.min_ns)};
  const core::Bin& last = cpu.bins.back();
  if (cpu.overflow_count == 0 || cpu.max_ns < last.low_ns || cpu.max_ns >= last.high_ns) return {};
  return core::Error{
      fmt::format("{} counts {} in its histogram but {} in all, and its maximum {} ns is in the last row", who,
                  cpu.samples - cpu.overflow_count, cpu.samples, cpu.max_ns)};
}

core::Result<CyclictestReport> parse_cyclictest_json(std::string_view text) {
  return read_json("cyclictest", text, report_of);
}

double seconds_accounted_for(const core::CpuResult& cpu, double interval_ns) {
  const auto cycles = static_cast<double>(cpu.samples);
  double in_bins_ns = 0, late_ns = 0;
  for (const core::Bin& bin : cpu.bins) {
    const auto count = static_cast<double>(bin.count);
    in_bins_ns += count * bin.low_ns;  // as cyclictest counts it: cut off below
    late_ns += count * std::floor(bin.low_ns / interval_ns) * interval_ns;
  }
  // Samples beyond the histogram have lost their values, but not their sum: it is in the average. Each of them ended
  // somewhere between two timers, half an interval before the next in the mean.
  const double beyond_ns = std::max(0.0, cpu.mean_ns * cycles - in_bins_ns);
  if (cpu.overflow_count > 0)
    late_ns += std::max(0.0, beyond_ns - static_cast<double>(cpu.overflow_count) * interval_ns / 2);
  return (cycles * interval_ns + late_ns) * 1e-9;
}

std::vector<core::Timeline> parse_status_blocks(std::string_view text, double step_s,
                                                const std::vector<size_t>& steps) {
  std::vector<core::Timeline> timelines;
  std::vector<size_t> blocks;  // seen of each thread
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    size_t thread = 0;
    double max_us = 0;
    if (!parse_status_line(line, thread, max_us) || thread > 65535) continue;
    if (timelines.size() <= thread) timelines.resize(thread + 1), blocks.resize(thread + 1);
    const size_t block = blocks[thread]++;
    if (block >= steps.size()) continue;  // somebody else asked for it
    timelines[thread].step_s = step_s;
    timelines[thread].kind = core::Timeline::Kind::running_max;
    std::vector<double>& max_ns = timelines[thread].max_ns;
    max_ns.resize(steps[block], max_ns.empty() ? 0 : max_ns.back());
    max_ns.push_back(max_us * kMicrosecond_ns);
  }
  return timelines;
}

}  // namespace maxlat::importing
