// SPDX-License-Identifier: MIT
#include "cyclictest_meter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/input_file.hpp>
#include <maxlat/core/sys/shield_door.hpp>
#include <maxlat/import/cyclictest.hpp>
#include <sstream>

#include "cyclictest_arguments.hpp"
#include "cyclictest_stand_in.hpp"

namespace maxlat::rteval_ext {

namespace {

constexpr uint64_t kInterval_ns = 100'000;
// Twenty milliseconds at its 1 us a bucket: beyond it cyclictest keeps no values, so that must be rare.
constexpr unsigned kBuckets = 20'000;
constexpr double kMostSteps = 3600;  // of the timeline, however long the phase
constexpr size_t kStatusBytesPerThread = 100;
// What a thread need not account for of its time: a last wait that the machine makes late, and for each sample the
// error of an average of two decimals.
constexpr double kLastWait_s = 1, kErrorOfAverage_s = 5e-9;
// A thread that has been woken this often by its timer is under way.
constexpr unsigned long kWakeupsUnderWay = 20;

double status_step_s(const MeterJob& job) {
  return std::max(1.0, std::ceil(static_cast<double>(job.duration_ns) * 1e-9 / kMostSteps));
}

// The value after "Name:" in /proc/PID/status, empty when it is not there.
std::string status_field(const std::filesystem::path& file, std::string_view name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const size_t value = line.find_first_not_of(" \t", name.size() + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

bool catches(pid_t pid, int signal_number) {
  const std::string mask = status_field(fmt::format("/proc/{}/status", pid), "SigCgt");
  return !mask.empty() && ((std::strtoull(mask.c_str(), nullptr, 16) >> (signal_number - 1)) & 1) != 0;
}

// Threads of the process that have been woken often enough to be measuring.
size_t threads_under_way(pid_t pid) {
  size_t under_way = 0;
  std::error_code gone;
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  for (std::filesystem::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
    if (task->path().filename() == std::to_string(pid)) continue;  // its main thread only waits
    const std::string switches = status_field(task->path() / "status", "voluntary_ctxt_switches");
    under_way += std::strtoul(switches.c_str(), nullptr, 10) >= kWakeupsUnderWay;
  }
  return under_way;
}

// "unable to …" and the like: its last word on standard error.
std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#' && !line.starts_with("T:")) last = line;
  }
  return last;
}

std::unique_ptr<Meter> make_cyclictest() {
  constexpr const char* kProgram = "cyclictest";
  if (core::find_program(kProgram).empty()) return std::make_unique<CyclictestStandIn>(core::own_executable());
  return std::make_unique<CyclictestMeter>(kProgram);
}

}  // namespace

extern const PhaseDefinition kCyclictestPhase{.figures = &core::kCyclictestKind,
                                              .make = make_cyclictest,
                                              .all_cpus_unless_isolated = true,
                                              .holds_latency_itself = true,
                                              .refused = refused_cyclictest_arguments};

core::Result<core::ProcessSpec> CyclictestMeter::command(const MeterJob& job) const {
  if (core::find_program(program_).empty()) {
    return core::Error{"cyclictest is not installed", "apt install rt-tests", core::Exit::cannot_run};
  }
  const uint64_t seconds = (job.duration_ns + 999'999'999) / 1'000'000'000;  // it takes whole seconds only
  core::ProcessSpec spec;
  spec.argv = {program_, "-m", fmt::format("-p{}", kMeterPriority), fmt::format("-i{}", kInterval_ns / 1000)};
  if (job.everywhere) {
    spec.argv.push_back("--smp");
  } else {
    spec.argv.insert(spec.argv.end(), {"-a", core::to_string(job.cpus), "-t", std::to_string(job.cpus.size())});
  }
  spec.argv.insert(spec.argv.end(), {"-h", std::to_string(kBuckets), "-D", std::to_string(seconds), "-q",
                                     fmt::format("--json={}", job.json_path)});
  spec.argv.insert(spec.argv.end(), job.arguments.begin(), job.arguments.end());
  // It knows no shield: it goes in whole, its waiting main thread, too.
  if (const auto door = core::ShieldDoor::find(); door && door->leads_to(job.cpus)) spec.cpus = job.cpus;
  const double steps = static_cast<double>(job.duration_ns) * 1e-9 / status_step_s(job) + 2;
  spec.capture_limit = (1u << 20) + static_cast<size_t>(steps) * job.cpus.size() * kStatusBytesPerThread;
  return spec;
}

bool CyclictestMeter::measuring(const core::Child& child, const MeterJob& job) const {
  return catches(child.pid(), SIGINT) && threads_under_way(child.pid()) >= job.cpus.size();
}

std::optional<attribution::WatchedThreads> CyclictestMeter::watched_threads() const {
  return attribution::WatchedThreads{"cyclictest", kMeterPriority};
}

void CyclictestMeter::every_second(core::Child& child, const MeterJob& job, double elapsed_s) {
  elapsed_s_ = elapsed_s;
  if (begun_s_ == 0 && threads_under_way(child.pid()) >= job.cpus.size()) begun_s_ = elapsed_s;
  const auto ended_steps = static_cast<size_t>(elapsed_s / status_step_s(job));
  const size_t asked_until = steps_.empty() ? 0 : steps_.back() + 1;
  if (ended_steps <= asked_until || !catches(child.pid(), SIGUSR1)) return;
  child.signal(SIGUSR1);
  steps_.push_back(ended_steps - 1);
}

// Its threads end when the first of them has measured for the whole duration, so each has at least what is left of that
// since all were under way. The process may take longer.
double CyclictestMeter::time_of_each_thread_s(const MeterJob& job) const {
  return std::min(elapsed_s_, static_cast<double>(job.duration_ns) * 1e-9) - begun_s_;
}

core::Result<core::Phase> CyclictestMeter::read(const MeterJob& job, const core::ProcessEnd& end) const {
  if (!end.succeeded()) {
    const std::string said = last_line(end.standard_error);
    return core::Error{fmt::format("cyclictest {}{}{}", end.text(), said.empty() ? "" : ": ", said),
                       end.signal == 0 ? "it needs SCHED_FIFO and locked memory: run as root" : ""};
  }
  const core::Result<std::string> text = core::read_input(job.json_path);
  if (!text) {
    return core::Error{"cyclictest ended without writing its result",
                       "is there space left, and is it rt-tests 2.0 or newer?"};
  }
  core::Result<importing::CyclictestReport> report = importing::parse_cyclictest_json(*text);
  if (!report) return report.error();
  core::CpuList seen;
  for (const core::CpuResult& cpu : report->per_cpu) seen.push_back(cpu.cpu);
  if (seen != job.cpus) {
    return core::Error{
        fmt::format("cyclictest measured CPUs {}, not {}", core::to_string(seen), core::to_string(job.cpus))};
  }

  core::Phase phase;
  phase.kind = to_string(&kCyclictestPhase);
  phase.status = core::PhaseStatus::ok;
  phase.per_cpu = std::move(report->per_cpu);
  const std::vector<core::Timeline> timelines =
      importing::parse_status_blocks(end.standard_error, status_step_s(job), steps_);
  for (size_t i = 0; i < phase.per_cpu.size(); ++i) {
    core::CpuResult& cpu = phase.per_cpu[i];
    cpu.exposure_s = importing::seconds_accounted_for(cpu, static_cast<double>(kInterval_ns));
    const double may_be_missing_s = kLastWait_s + kErrorOfAverage_s * static_cast<double>(cpu.samples);
    if (cpu.exposure_s < time_of_each_thread_s(job) - may_be_missing_s) {
      phase.status = core::PhaseStatus::invalid;
      phase.reason = fmt::format(
          "the thread on CPU {} accounts for {} of {}: it was kept from running, and a wait that had "
          "not ended is in no figure",
          cpu.cpu, core::duration_text(cpu.exposure_s), core::duration_text(time_of_each_thread_s(job)));
    }
    phase.exposure_s += cpu.exposure_s;
    if (i < timelines.size()) cpu.timeline = timelines[i];
  }
  if (!report->no_sample.empty()) {
    phase.status = core::PhaseStatus::invalid;
    phase.reason = report->no_sample;
  }
  phase.facts[core::fact::kMeter] = fmt::format("cyclictest {}", report->version);
  phase.facts[core::fact::kInterval] = fmt::format("{} us", kInterval_ns / 1000);
  phase.facts["priority"] = fmt::format("SCHED_FIFO {}", kMeterPriority);
  phase.facts["resolution"] = "1 us, cut off below";
  uint64_t beyond = 0;
  for (const core::CpuResult& cpu : phase.per_cpu) beyond += cpu.overflow_count;
  if (beyond > 0) {
    phase.facts["beyond the histogram"] = fmt::format("{} above {} us: cyclictest keeps only the largest of them",
                                                      core::counted(beyond, "sample"), kBuckets - 1);
  }
  return phase;
}

core::ControlResult CyclictestMeter::match(const std::vector<loadgen::Stall>& stalls, const core::Phase& phase,
                                           double stated_error_ns) const {
  return loadgen::match_periodic("cyclictest", stalls, phase, static_cast<double>(kInterval_ns), stated_error_ns);
}

}  // namespace maxlat::rteval_ext
