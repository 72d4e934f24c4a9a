// SPDX-License-Identifier: MIT
#include "npt_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/stats/tail_words.hpp>
#include <maxlat/core/sys/duration.hpp>

#include "histogram_rows.hpp"
#include "paths_text.hpp"

namespace maxlat::npt {
namespace {

constexpr uint64_t kRowLimit = 1'000'000;  // npt's
constexpr size_t kInterferenceRows = 20;
constexpr const char* kRule = "--------------------------";

struct Statistics {
  double min, max, mean, sum, variance, deviation;
};

Statistics statistics_of(const CpuMeasurement& cpu, const base::CounterClock& clock, const Unit& unit) {
  const auto in_unit = [&](double ticks) { return clock.to_ns(ticks) / unit.ns; };
  const double one_tick = in_unit(1);
  const base::Histogram& h = cpu.histogram;
  return {in_unit(static_cast<double>(h.min())),
          in_unit(static_cast<double>(h.max())),
          in_unit(h.mean()),
          in_unit(static_cast<double>(h.raw().sum)),
          h.variance() * one_tick * one_tick,
          std::sqrt(h.variance()) * one_tick};
}

using Text = std::back_insert_iterator<std::string>;

void print_statistics(Text out, const Statistics& s, const std::string& line_start, const std::string& unit_text,
                      const std::string& square_text) {
  fmt::format_to(out, "{}\tmin:\t\t{:.6f}{}\n", line_start, s.min, unit_text);
  fmt::format_to(out, "{}\tmax:\t\t{:.6f}{}\n", line_start, s.max, unit_text);
  fmt::format_to(out, "{}\tmean:\t\t{:.6f}{}\n", line_start, s.mean, unit_text);
  fmt::format_to(out, "{}\tsum:\t\t{:.6f}{}\n", line_start, s.sum, unit_text);
  fmt::format_to(out, "{}\tvariance:\t{:g}{}\n", line_start, s.variance, square_text);
  fmt::format_to(out, "{}\tstd dev:\t{:.6f}{}\n", line_start, s.deviation, unit_text);
}

void print_head(Text out, const Measurement& m) {
  const auto fact = [&](const char* name) {
    const auto found = m.phase.facts.find(name);
    return found == m.phase.facts.end() ? std::string("unknown") : found->second;
  };
  fmt::format_to(out, "# CPU frequency ({}): {:.2f} MHz\n", base::to_string(m.clock.source),
                 m.clock.ticks_per_ns * 1e3);
  fmt::format_to(out, "# Scheduling: {}, memory {}, interrupts {}\n", fact("policy"), fact("memory"),
                 fact("interrupts"));
  fmt::format_to(out,
                 "# Loop cost: {:.2f} ns a loop with all bookkeeping, {:.2f} ns of it the bare counter read ({})\n",
                 m.cost.loop_ns, m.cost.bare_read_ns, fact("counter"));
  if (m.phase.arm != "none") fmt::format_to(out, "# Arm: {} ({})\n", m.phase.arm, m.phase.name);
  if (const auto& events = m.phase.events)
    fmt::format_to(
        out,
        "# Tracepoints generated: {}, recorded: {}, lost: {} with buffers full, {} overwritten, {} too large ({})\n",
        events->produced, events->recorded, events->lost_full, events->lost_wrap, events->lost_big,
        fact("events_verified_by"));
  if (m.phase.facts.contains(core::fact::kKernelEvents))
    fmt::format_to(out, "# Kernel events: {}\n", fact(core::fact::kKernelEvents));
  if (m.phase.facts.contains(core::fact::kTraceMark))
    fmt::format_to(out, "# Trace mark: {}\n", fact(core::fact::kTraceMark));
  for (const std::string& warning : m.phase.warnings) fmt::format_to(out, "# Warning: {}\n", warning);
  if (!m.phase.reason.empty()) fmt::format_to(out, "# {}: {}\n", core::to_string(m.phase.status), m.phase.reason);
}

void print_quantiles(Text out, const core::CpuResult& result, const Unit& unit) {
  fmt::format_to(out, "# Quantiles ({}):", unit.name);
  for (const auto& [label, ns] : result.quantiles_ns) fmt::format_to(out, " {} {:.6g}", label, ns / unit.ns);
  fmt::format_to(out, "\n");
}

void print_event_gaps(Text out, const core::Phase& gaps, unsigned cpu, const Unit& unit) {
  for (const core::CpuResult& result : gaps.per_cpu) {
    if (result.cpu != cpu) continue;
    fmt::format_to(out, "# With a tracepoint in them: {} gaps, mean {:.6g}, max {:.6g} {}\n", result.samples,
                   result.mean_ns / unit.ns, result.max_ns / unit.ns, unit.name);
    print_quantiles(out, result, unit);
  }
}

void print_outliers(Text out, const core::CpuResult& result, const Unit& unit) {
  fmt::format_to(out, "# Largest gaps: {} at s after the start\n", unit.name);
  for (const core::Outlier& outlier : result.outliers) {
    const std::string story = core::story_of(outlier);
    fmt::format_to(out, "#   {:.6f} at {:.9f}{}{}\n", outlier.latency_ns / unit.ns, outlier.t_ns / 1e9,
                   story.empty() ? "" : "  ", story);
    for (const core::NearbyEvent& event : outlier.events)
      fmt::format_to(out, "#     {}\n", core::line_of(event, outlier));
  }
}

// The whole list is the result's.
void print_largest(Text out, const core::CpuResult& result) {
  if (result.outliers.empty() || result.outliers.front().accounting.empty()) return;
  const core::Outlier& largest = result.outliers.front();
  fmt::format_to(out, "# Largest gap: {} on CPU {}: {}\n", core::latency_text(largest.latency_ns), result.cpu,
                 core::accounting_text(largest.accounting));
}

void print_interference(Text out, const core::Phase& phase, unsigned cpu) {
  for (const core::CpuInterference& of_cpu : phase.interference) {
    if (of_cpu.cpu != cpu) continue;
    fmt::format_to(out, "# What the kernel ran, by its events:\n{}",
                   core::interference_text(of_cpu, kInterferenceRows, "# "));
  }
}

// An arm of which nothing follows under "paths" says why.
void print_why_no_paths(Text out, const core::Phase& phase) {
  if (phase.arm.empty() || phase.arm == "none" || !phase.paths.empty()) return;
  const auto counter = phase.facts.find("counter");
  const bool other_clock = counter != phase.facts.end() && counter->second == to_string(CounterRead::raw_clock);
  fmt::format_to(out, "# Paths of {}: not known: {}\n", phase.arm,
                 !phase.arm.starts_with("maxlat") ? "only maxlat's own tracer says what it did in a gap"
                 : other_clock                    ? "the gaps are of another clock than its events"
                                                  : "no gap could be told from its trace");
}

}  // namespace

std::string npt_screen(const Measurement& m, const TextOptions& options) {
  std::string text;
  Text out(text);
  const Unit& unit = options.unit;
  print_head(out, m);
  if (options.verbose)
    for (const auto& [name, value] : m.phase.facts) fmt::format_to(out, "#   {}: {}\n", name, value);
  for (size_t i = 0; i < m.cpus.size(); ++i) {
    const CpuMeasurement& cpu = m.cpus[i];
    fmt::format_to(out, "# CPU affinity set on CPU {}\n", cpu.cpu);
    if (const auto& scheduling = m.scheduling; scheduling.priority > 0)
      fmt::format_to(out, "# Application priority set to {}\n", scheduling.priority);
    fmt::format_to(out, "{} loops done.\nLoops duration:\n", cpu.samples);
    print_statistics(out, statistics_of(cpu, m.clock, unit), "", fmt::format(" {}", unit.name),
                     fmt::format(" {}²", unit.name));
    print_quantiles(out, m.phase.per_cpu[i], unit);
    fmt::format_to(out, "# Exposure: {:.6f} s\n", m.phase.per_cpu[i].exposure_s);
    if (m.event_gaps) print_event_gaps(out, *m.event_gaps, cpu.cpu, unit);
    print_largest(out, m.phase.per_cpu[i]);
    if (options.verbose) {
      print_outliers(out, m.phase.per_cpu[i], unit);
      print_interference(out, m.phase, cpu.cpu);
    }
    const HistogramRows rows = histogram_rows(cpu.histogram, m.clock, unit.ns, kRowLimit);
    if (options.rows) {
      fmt::format_to(out, "{0}\nduration ({1})\tnb. loops\n{0}\n", kRule, unit.name);
      for (const HistogramRow& row : rows.rows) fmt::format_to(out, "{}\t\t{}\n", row.value, row.count);
      fmt::format_to(out, "{}\n", kRule);
    }
    fmt::format_to(out, "Overruns ({}+): {}\n", kRowLimit, rows.overruns);
  }
  print_why_no_paths(out, m.phase);
  return text + paths_text(m.phase, "# ");
}

std::string npt_file(const Measurement& m, const Unit& unit) {
  std::string text;
  Text out(text);
  for (const CpuMeasurement& cpu : m.cpus) {
    fmt::format_to(out, "# Data generated by NPT for {} loops on CPU {}\n", cpu.samples, cpu.cpu);
    fmt::format_to(out, "# The time values are expressed in {}, the variance in {}².\n#\n", unit.name, unit.name);
    if (!m.phase.reason.empty()) fmt::format_to(out, "# {}: {}\n#\n", core::to_string(m.phase.status), m.phase.reason);
    fmt::format_to(out, "# General statistics of loops duration:\n");
    print_statistics(out, statistics_of(cpu, m.clock, unit), "#", "", "");
    const HistogramRows rows = histogram_rows(cpu.histogram, m.clock, unit.ns, kRowLimit);
    fmt::format_to(out, "# Overruns ({}+): {}\n#\n#\ttime\tnb. loops\n#\t------------------\n", kRowLimit,
                   rows.overruns);
    for (const HistogramRow& row : rows.rows) fmt::format_to(out, "\t{}\t{}\n", row.value, row.count);
  }
  return text;
}

}  // namespace maxlat::npt
