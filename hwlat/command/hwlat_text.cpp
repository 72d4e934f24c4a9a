// SPDX-License-Identifier: MIT
#include "hwlat_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/stats/exceedance.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text_table.hpp>

namespace maxlat::hwlat {

namespace {

std::string us(uint64_t ns) {
  return core::latency_text(static_cast<double>(ns));
}
std::string seconds(uint64_t ns) {
  return core::duration_text(static_cast<double>(ns) * 1e-9);
}

uint64_t samples_above(const Measurement& measured, const core::CpuResult& cpu, uint64_t threshold_ns) {
  const auto counted = measured.above.find(cpu.cpu);
  return counted != measured.above.end() ? counted->second
                                         : core::samples_above(cpu, static_cast<double>(threshold_ns));
}

// `bound` is said behind the heading, of the whole table.
std::string cpu_table(const Measurement& measured, const Settings& settings, const char* bound) {
  core::TextTable table({"#cpu", "#watched s", "#samples", "#above", "#largest"});
  table.at_least({4, 11, 13, 11, 11});
  for (const core::CpuResult& cpu : measured.phase.per_cpu) {
    table.row({std::to_string(cpu.cpu), fmt::format("{:.3f}", cpu.exposure_s), std::to_string(cpu.samples),
               std::to_string(samples_above(measured, cpu, settings.threshold_ns)), core::latency_text(cpu.max_ns)});
  }
  std::string text = table.text();
  return text.insert(text.find('\n'), bound);
}

std::string cause_lines(const core::Phase& phase, const Settings& settings) {
  std::map<std::string, unsigned> causes;
  for (const core::CpuResult& cpu : phase.per_cpu) {
    for (const core::Outlier& gap : cpu.outliers) {
      if (gap.latency_ns > static_cast<double>(settings.threshold_ns))
        ++causes[gap.cause.empty() ? "unknown" : gap.cause];
    }
  }
  std::string text;
  for (const auto& [cause, count] : causes) text += fmt::format("  {:>6}  {}\n", count, cause);
  return text.empty() ? text : "Causes of the largest, by exclusion:\n" + text;
}

// Of the largest gap, where the kernel's events could be recorded; else why they could not.
std::string kernel_lines(const core::Phase& phase) {
  const auto told = phase.facts.find(core::fact::kKernelEvents);
  if (told == phase.facts.end()) return {};
  std::string text = fmt::format("Kernel events: {}\n", told->second);
  const core::Outlier* largest = nullptr;
  for (const core::CpuResult& cpu : phase.per_cpu)
    for (const core::Outlier& gap : cpu.outliers)
      if (largest == nullptr || gap.latency_ns > largest->latency_ns) largest = &gap;
  if (largest != nullptr && !largest->accounting.empty())
    text += fmt::format("Largest, on CPU {}: {}\n", largest->cpu, core::accounting_text(largest->accounting));
  return text;
}

}  // namespace

uint64_t samples_above(const Measurement& measured, uint64_t threshold_ns) {
  uint64_t above = 0;
  for (const core::CpuResult& cpu : measured.phase.per_cpu) above += samples_above(measured, cpu, threshold_ns);
  return above;
}

std::vector<core::RawGaps> raw_findings(const Measurement& measured, uint64_t threshold_ns) {
  std::vector<core::RawGaps> raw;
  for (const core::CpuResult& cpu : measured.phase.per_cpu) {
    core::RawGaps& of_cpu = raw.emplace_back(core::RawGaps{.cpu = cpu.cpu,
                                                           .ticks_per_ns = 1,  // findings are in nanoseconds
                                                           .threshold_ns = static_cast<double>(threshold_ns),
                                                           .watched_s = cpu.exposure_s});
    for (const Finding& finding : measured.findings)
      if (finding.cpu == cpu.cpu) of_cpu.gaps.push_back({finding.t_ns, finding.latency_ns()});
    const uint64_t above = samples_above(measured, cpu, threshold_ns);
    of_cpu.not_kept = above - std::min<uint64_t>(above, of_cpu.gaps.size());
  }
  return raw;
}

double largest_ns(const core::Phase& phase) {
  double largest = 0;
  for (const core::CpuResult& cpu : phase.per_cpu) largest = std::max(largest, cpu.max_ns);
  return largest;
}

std::string settings_text(const Settings& settings, std::string_view back_end) {
  return fmt::format(
      "maxlat hwlat: {} on CPUs {}\n"
      "  duration:  {}\n  window:    {}\n  width:     {}\n  threshold: {}\n",
      back_end, core::to_string(settings.cpus), settings.duration_ns == 0 ? "until ^C" : seconds(settings.duration_ns),
      seconds(settings.window_ns), seconds(settings.width_ns), us(settings.threshold_ns));
}

std::string finding_text(const Finding& finding) {
  const std::string outer = finding.outer_ns > 0 ? ", outer:" + core::latency_text(finding.outer_ns) : "";
  const std::string nmi = finding.nmi_count > 0 ? fmt::format(", nmi:{}", finding.nmi_count) : "";
  const std::string smi = finding.smi_count.value_or(0) > 0 ? fmt::format(", smi:{}", *finding.smi_count) : "";
  return fmt::format("t:{:.6f} s, inner:{}{}, cpu:{}, count:{}{}{}{}\n", finding.t_ns * 1e-9,
                     core::latency_text(finding.inner_ns), outer, finding.cpu, finding.count, nmi, smi,
                     finding.upper_bound ? ", upper bound" : "");
}

std::string result_text(const Measurement& measured, const Settings& settings, uint64_t hard_limit_ns) {
  const core::Phase& phase = measured.phase;
  const uint64_t above = samples_above(measured, settings.threshold_ns);
  const core::Interval events = core::events_interval(above, 0.95);
  const double hours = phase.exposure_s / 3600;
  std::string text = fmt::format("Back end: {}\n", phase.facts.at(core::fact::kBackEnd));
  const auto bound = phase.facts.find(core::fact::kBound);
  const bool bounded = bound != phase.facts.end();
  const char* const upper = bounded ? " (upper bound)" : "";
  if (bounded) text += fmt::format("  {}\n", bound->second);
  text += cpu_table(measured, settings, upper);
  text += fmt::format("Largest: {}{}\n", core::latency_text(largest_ns(phase)), upper);
  text += fmt::format("Samples above {}: {} in {:.1f} CPU-seconds watched{}\n", us(settings.threshold_ns), above,
                      phase.exposure_s, upper);
  if (above > 0) {
    text += fmt::format("MTBF: {} watched{}\n", core::duration_text(phase.exposure_s / static_cast<double>(above)),
                        bounded ? " (lower bound)" : "");
    text += fmt::format("Rate: {:.4g} an hour of CPU time watched (95 %: {:.4g} to {:.4g}){}\n",
                        static_cast<double>(above) / hours, events.low / hours, events.high / hours, upper);
  } else {
    text += fmt::format("Rate: below {:.4g} an hour of CPU time watched (95 %){}\n",
                        core::events_below(0, 0.95) / hours, upper);
  }
  text += fmt::format("SMIs: {}\n", phase.facts.at(core::fact::kSmiCount));
  text += cause_lines(phase, settings);
  text += kernel_lines(phase);
  if (hard_limit_ns > 0) {
    const bool exceeded = largest_ns(phase) > static_cast<double>(hard_limit_ns);
    text += fmt::format("Hard limit {}: {}\n", us(hard_limit_ns),
                        !exceeded ? "kept"
                        : bounded ? "EXCEEDED (by an upper bound: not necessarily by the hardware)"
                                  : "EXCEEDED");
  }
  for (const std::string& warning : phase.warnings) text += "Warning: " + warning + "\n";
  if (!phase.reason.empty()) text += fmt::format("{}: {}\n", core::to_string(phase.status), phase.reason);
  return text;
}

}  // namespace maxlat::hwlat
