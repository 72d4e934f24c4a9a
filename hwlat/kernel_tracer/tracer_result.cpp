// SPDX-License-Identifier: MIT
#include "tracer_result.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/duration.hpp>

namespace maxlat::hwlat {

namespace {

constexpr double kMicrosecond_ns = 1000;

Finding finding_of(const TracerRecord& record, uint64_t start_realtime_ns) {
  Finding finding;
  finding.t_ns =
      record.realtime_ns > start_realtime_ns ? static_cast<double>(record.realtime_ns - start_realtime_ns) : 0;
  finding.cpu = record.cpu;
  finding.inner_ns = static_cast<double>(record.inner_us) * kMicrosecond_ns;
  finding.outer_ns = static_cast<double>(record.outer_us) * kMicrosecond_ns;
  finding.count = record.count;
  finding.nmi_count = record.nmi_count;
  return finding;
}

core::CpuResult cpu_result(const Settings& settings, const TracerExposure& exposure,
                           const std::vector<Finding>& findings) {
  core::CpuResult cpu;
  cpu.cpu = exposure.cpu;
  cpu.exposure_s = exposure.seconds;
  const auto threshold_ns = static_cast<double>(settings.threshold_ns);
  std::map<uint64_t, uint64_t> counts;  // by whole microsecond; what lies below the threshold is quiet
  for (const Finding& finding : findings) {
    if (finding.cpu != exposure.cpu) continue;
    const uint64_t us = static_cast<uint64_t>(finding.latency_ns() / kMicrosecond_ns);
    if (static_cast<double>(us + 1) * kMicrosecond_ns > threshold_ns) ++counts[us];
    cpu.outliers.push_back({finding.t_ns, finding.latency_ns(), finding.cpu, ""});
  }
  // A window whose record came after the last window was counted is a window all the same.
  cpu.samples = std::max<uint64_t>(exposure.windows, cpu.outliers.size());
  uint64_t quiet = cpu.samples;
  for (const auto& [us, count] : counts) quiet -= count;
  if (quiet > 0) cpu.bins.push_back({0, threshold_ns, quiet});
  for (const auto& [us, count] : counts) {
    // The threshold's own bin may begin below it when it is no whole microsecond; bins must not overlap.
    const double low = std::max(static_cast<double>(us) * kMicrosecond_ns, threshold_ns);
    cpu.bins.push_back({low, static_cast<double>(us + 1) * kMicrosecond_ns, count});
  }
  std::sort(cpu.outliers.begin(), cpu.outliers.end(),
            [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
  if (!cpu.outliers.empty()) cpu.max_ns = cpu.outliers.front().latency_ns;
  if (cpu.outliers.size() > settings.outliers) cpu.outliers.resize(settings.outliers);
  core::fill_statistics_from_bins(cpu);
  return cpu;
}

}  // namespace

core::Result<Measurement> tracer_measurement(const Settings& settings, const std::vector<TracerRecord>& records,
                                             uint64_t lost, const std::vector<TracerExposure>& exposure,
                                             uint64_t start_realtime_ns) {
  Measurement measured;
  for (const TracerRecord& record : records) {
    if (!std::binary_search(settings.cpus.begin(), settings.cpus.end(), record.cpu)) {
      return core::Error{fmt::format("the hwlat tracer reports CPU {}, which it was not asked to watch", record.cpu)};
    }
    measured.findings.push_back(finding_of(record, start_realtime_ns));
  }
  core::Phase& phase = measured.phase;
  phase.kind = core::kHwlatKind.name;
  core::set_realtime_start(phase, start_realtime_ns);
  phase.status = core::PhaseStatus::ok;
  for (const unsigned cpu : settings.cpus) {
    const auto seen = std::find_if(exposure.begin(), exposure.end(), [&](const auto& e) { return e.cpu == cpu; });
    if (seen == exposure.end() || seen->seconds <= 0 || seen->windows == 0) {
      return core::Error{fmt::format("the hwlat tracer never watched CPU {}", cpu),
                         "--backend loop watches every CPU, as an upper bound", core::Exit::invalid};
    }
    phase.per_cpu.push_back(cpu_result(settings, *seen, measured.findings));
    phase.exposure_s += seen->seconds;
  }
  if (lost > 0) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = fmt::format("the kernel's trace buffer lost {} records", lost);
  }
  phase.facts["sample"] = fmt::format("one window of {}: its largest gap",
                                      core::duration_text(static_cast<double>(settings.window_ns) * 1e-9));
  phase.facts[core::fact::kBelowThreshold] = fmt::format(
      "not known: the tracer tells nothing of gaps up to {}; windows without a record are counted as one bin from 0 to "
      "it",
      core::latency_text(static_cast<double>(settings.threshold_ns)));
  phase.facts["resolution"] = "1 us, cut off below";
  return measured;
}

}  // namespace maxlat::hwlat
