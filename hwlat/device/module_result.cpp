// SPDX-License-Identifier: MIT
#include "module_result.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/phase_start.hpp>

namespace maxlat::hwlat {

namespace {

struct ModuleContext {
  const Settings& settings;
  const maxlat_hwlat_info& info;
  base::CounterClock clock;
  uint64_t started_ns;
  bool running;

  double ns(uint64_t ticks) const { return clock.to_ns(static_cast<double>(ticks)); }
};

base::CounterClock clock_of(const maxlat_hwlat_info& info) {
  base::CounterClock clock = base::clock_with_rate(static_cast<double>(info.counter_khz) * 1e-6);
  clock.source = base::RateSource::kernel;
  return clock;
}

Finding finding_of(const ModuleContext& context, const maxlat_hwlat_record& record) {
  Finding finding;
  finding.t_ns = record.time_ns > context.started_ns ? static_cast<double>(record.time_ns - context.started_ns) : 0;
  finding.cpu = record.cpu;
  finding.inner_ns = static_cast<double>(record.inner_ns);
  finding.outer_ns = static_cast<double>(record.outer_ns);
  finding.whole_ns = static_cast<double>(gap_ns(record));
  finding.nmi_count = record.nmi_after - record.nmi_before;
  if ((context.info.features & MAXLAT_HWLAT_SMI_COUNT) != 0) finding.smi_count = record.smi_after - record.smi_before;
  return finding;
}

base::Histogram histogram_of(const ModuleContext& context, const ModuleCpu& cpu) {
  if (context.running) return base::Histogram::copy_of_growing(cpu.region.histogram());
  base::Histogram histogram;
  histogram.raw() = cpu.region.histogram();
  return histogram;
}

core::CpuResult cpu_result(const ModuleContext& context, const ModuleCpu& cpu, std::vector<Finding>& findings) {
  core::CpuResult result = core::cpu_result_from(cpu.cpu, histogram_of(context, cpu), context.clock);
  result.exposure_s = context.ns(cpu.region.header().exposure_ticks) * 1e-9;
  for (const maxlat_hwlat_record& record : cpu.region.kept_in_order_of_time()) {
    findings.push_back(finding_of(context, record));
    result.outliers.push_back({findings.back().t_ns, findings.back().latency_ns(), cpu.cpu, ""});
  }
  std::stable_sort(result.outliers.begin(), result.outliers.end(),
                   [](const auto& a, const auto& b) { return a.latency_ns > b.latency_ns; });
  result.timeline.step_s = 1;
  for (const uint64_t ticks : cpu.region.seconds()) result.timeline.max_ns.push_back(context.ns(ticks));
  return result;
}

core::Status check_books(const ModuleCpu& cpu) {
  const maxlat_histogram& histogram = cpu.region.histogram();
  const uint64_t exposure = cpu.region.header().exposure_ticks;
  if (exposure == 0) {
    return core::Error{fmt::format("the module never watched CPU {}", cpu.cpu),
                       "it is offline, or a real-time task had it all the time", core::Exit::invalid};
  }
  if (histogram.sum == exposure) return {};
  return core::Error{fmt::format("CPU {}: the books do not balance: {} ticks watched and {} filed", cpu.cpu, exposure,
                                 static_cast<uint64_t>(histogram.sum)),
                     "this is a defect of maxlat, or memory was overwritten: please report it", core::Exit::invalid};
}

// The CPU counts its SMIs itself where the kernel can read the counter. So even those between two windows are known:
// that they were, not how long.
void add_smi_fact(core::Phase& phase, const ModuleContext& context, const ModuleCpu& cpu) {
  const maxlat_hwlat_cpu header = cpu.region.header();
  const std::string name = fmt::format("SMIs of CPU {}", cpu.cpu);
  if ((context.info.features & MAXLAT_HWLAT_SMI_COUNT) == 0) {
    phase.facts[name] = "not counted: this processor has no counter that the module can read";
    return;
  }
  const uint64_t all = header.smi_last - header.smi_first, watched = header.smi_watched;
  const uint64_t between = all > watched ? all - watched : 0;
  phase.facts[name] = fmt::format("{}: {} in watched time, {} between windows", all, watched, between);
  if (between == 0) return;
  phase.warnings.push_back(
      fmt::format("CPU {}: {} of {} SMIs fell between windows; the CPU counted them, their length is not known",
                  cpu.cpu, between, all));
}

void add_cpu_facts(core::Phase& phase, const ModuleContext& context, const ModuleCpu& cpu) {
  const maxlat_hwlat_cpu header = cpu.region.header();
  const auto name = [&](const char* what) { return fmt::format("{} of CPU {}", what, cpu.cpu); };
  phase.facts[name("windows")] = fmt::format("{} watched, {} passed while it was busy with something else",
                                             uint64_t{header.windows}, uint64_t{header.windows_missed});
  phase.facts[name("NMIs in watched time")] = fmt::format("{}", uint64_t{header.nmi_watched});
  add_smi_fact(phase, context, cpu);
  if (const uint64_t lost = cpu.region.overwritten(); lost > 0) {
    phase.warnings.push_back(
        fmt::format("CPU {}: {} of {} findings came too fast to be kept; the histogram has all of them", cpu.cpu, lost,
                    uint64_t{header.gaps}));
  }
}

}  // namespace

core::Result<Measurement> module_measurement(const Settings& settings, const maxlat_hwlat_info& info,
                                             uint64_t started_ns, const std::vector<ModuleCpu>& cpus, bool running) {
  const ModuleContext context{settings, info, clock_of(info), started_ns, running};
  Measurement measured;
  core::Phase& phase = measured.phase;
  phase.kind = core::kHwlatKind.name;
  phase.status = core::PhaseStatus::ok;
  for (const ModuleCpu& cpu : cpus) {
    if (running && cpu.region.header().exposure_ticks == 0) continue;  // its first window has not ended
    if (const core::Status books = running ? core::Status{} : check_books(cpu); !books) return books.error();
    phase.per_cpu.push_back(cpu_result(context, cpu, measured.findings));
    phase.exposure_s += phase.per_cpu.back().exposure_s;
    measured.above[cpu.cpu] = cpu.region.header().gaps;
    add_cpu_facts(phase, context, cpu);
    if (!cpu.went_offline) continue;
    phase.status = core::PhaseStatus::invalid;
    phase.reason =
        fmt::format("CPU {} went offline; it was watched for {:.3f} s", cpu.cpu, phase.per_cpu.back().exposure_s);
  }
  std::stable_sort(measured.findings.begin(), measured.findings.end(),
                   [](const auto& a, const auto& b) { return a.t_ns < b.t_ns; });
  phase.facts["sample"] = "gap from each second fenced counter read to the next: inner and outer gap together";
  phase.facts["counter"] =
      fmt::format("{:.3f} MHz, rate from the kernel, {}", context.clock.ticks_per_ns * 1e3,
                  (info.features & MAXLAT_HWLAT_COUNTER_CONSTANT) != 0 ? "constant" : "not known to be constant");
  core::set_start(phase, started_ns);
  return measured;
}

}  // namespace maxlat::hwlat
