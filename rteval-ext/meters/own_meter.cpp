// SPDX-License-Identifier: MIT
#include "own_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/process.hpp>
#include <string_view>

namespace maxlat::rteval_ext {

namespace {

// RT throttling stops a FIFO loop for 50 ms in each second on a stock box. npt rests of its own accord twice as long,
// so that the kernel never has to: what it watches is then watched whole, and what it does not is not in its exposure.
constexpr const char* kRest = "100ms";
constexpr size_t kOutliersOfControl = 1000;  // room for every stall and for the noise of a bad machine beside them
// A meter that watches every CPU of the machine has none left to write snapshots from. Its set-up takes far less CPU
// time than this, so one that has used it is measuring.
constexpr double kSurelyUnderWay_s = 3;
constexpr const char* kSnapshotEvery = "5s";
constexpr const char* kSnapshotEveryOfControl = "1s";

bool asks_for_kernel_loop(const std::vector<std::string>& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--kernel-loop") != arguments.end();
}

bool every_cpu_has_samples(const core::RunResult& run, const core::CpuList& cpus) {
  return !run.phases.empty() && std::all_of(cpus.begin(), cpus.end(), [&](unsigned cpu) {
    const auto& per_cpu = run.phases[0].per_cpu;
    return std::any_of(per_cpu.begin(), per_cpu.end(), [&](const auto& c) { return c.cpu == cpu && c.samples > 0; });
  });
}

// What the plan or the meter says itself, and what would end the phase before its time.
constexpr std::array kOurOwn{"-a", "--affinity", "-D", "-d",         "--duration", "--wall-time", "-l",      "--loops",
                             "-b", "--break",    "-p", "--priority", "--json",     "--snapshot",  "-q",      "--quiet",
                             "--sensors"};

// Of "-b30us" the letter: "-b".
std::string option_of(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

std::string refused_cyclic_arguments(const std::vector<std::string>& arguments) {
  constexpr std::array kAllowed{"--aligned", "--timer=nanosleep", "--timer=timerfd", "--no-dma-latency"};
  for (const std::string& word : arguments)
    if (std::find(kAllowed.begin(), kAllowed.end(), word) == kAllowed.end())
      return fmt::format("{} is not for a plan, only {} are: the meter sets the others", word,
                         fmt::join(kAllowed, ", "));
  return {};
}

std::string refused_npt_arguments(const std::vector<std::string>& arguments) {
  constexpr std::array kSeveralPhases{"-f",        "--tp-max-freq",  "--trace-window", "--wait-window",
                                      "--compare", "--find-max-rate"};
  for (const std::string& word : arguments) {
    const std::string option = option_of(word);
    if (std::find(kOurOwn.begin(), kOurOwn.end(), option) != kOurOwn.end())
      return fmt::format("{} is not for a plan: its keys or the meter say it, or the phase would end too soon", word);
    if (std::find(kSeveralPhases.begin(), kSeveralPhases.end(), option) != kSeveralPhases.end())
      return fmt::format("with {} npt leaves more than one phase; the kind for it is tracer", word);
  }
  return {};
}

bool records_kernel_events(const PhaseDefinition& kind, const MeterJob& job) {
  return kind.kernel_events && job.kernel_events && !asks_for_kernel_loop(job.arguments);
}

std::vector<std::string> npt_words(const MeterJob& job) {
  std::vector<std::string> words{"-p", std::to_string(kMeterPriority)};
  // With the module maxlat_irqoff npt would turn interrupts off, and be blind to what they do and to the control's hog,
  // which only comes in while they are on. The hardware alone is the hwlat phase's; a plan may ask for the kernel's
  // loop.
  if (!asks_for_kernel_loop(job.arguments)) words.push_back("-i");
  // A stall that fell into a rest could not be found. Without rests the kernel's throttling shows as gaps instead,
  // which a control can bear.
  words.insert(words.end(), {"--rest", job.control ? "0" : kRest});
  words.push_back("--sensors");  // so that a run can be followed: maxlat sensors watch 'npt-cpu*'
  return words;
}

std::vector<std::string> hwlat_words(const MeterJob& job) {
  if (!job.control) return {};
  // The stalls are scheduling, which only the loop can see: module and tracer have interrupts off. A counter of a rate
  // that is not promised does for finding them: their true length is read from the same counter.
  return {"--backend", "loop", "--trust-counter", "--width", "1s", "--window", "1s"};
}

constexpr uint64_t kCyclicInterval_ns = 100'000;

std::vector<std::string> cyclic_words(const MeterJob&) {
  return {"-p", std::to_string(kMeterPriority), "-i", fmt::format("{}ns", kCyclicInterval_ns)};
}

std::vector<std::string> preempt_words(const MeterJob&) {
  return {"-p", std::to_string(kMeterPriority)};
}

template <PhaseKind kind>
std::unique_ptr<Meter> make_own() {
  return std::make_unique<OwnMeter>(core::own_executable(), kind);
}

}  // namespace

extern const PhaseDefinition kHwlatPhase{
    .figures = &core::kHwlatKind,
    .make = make_own<&kHwlatPhase>,
    .kernel_events = true,  // where its loop measures: hwlat says so where another back end does
    .own_words = hwlat_words};
extern const PhaseDefinition kPreemptPhase{.figures = &core::kPreemptKind,
                                           .shape = PhaseDefinition::Shape::test,
                                           .make = make_own<&kPreemptPhase>,
                                           .kernel_events = true,
                                           .own_words = preempt_words};
extern const PhaseDefinition kCyclicPhase{.figures = &core::kCyclicKind,
                                          .make = make_own<&kCyclicPhase>,
                                          .all_cpus_unless_isolated = true,
                                          .kernel_events = true,
                                          .interval_ns = kCyclicInterval_ns,
                                          .holds_latency_itself = true,
                                          .refused = refused_cyclic_arguments,
                                          .own_words = cyclic_words};
extern const PhaseDefinition kNptPhase{.figures = &core::kNptKind,
                                       .make = make_own<&kNptPhase>,
                                       .kernel_events = true,
                                       .arm = "none",
                                       .refused = refused_npt_arguments,
                                       .own_words = npt_words};

core::Result<core::ProcessSpec> OwnMeter::command(const MeterJob& job) const {
  constexpr uint64_t kSecond_ns = 1'000'000'000;
  const std::string duration = job.duration_ns % kSecond_ns == 0 ? fmt::format("{}s", job.duration_ns / kSecond_ns)
                                                                 : fmt::format("{}ns", job.duration_ns);
  core::ProcessSpec spec;
  spec.argv = {executable_, to_string(kind_), "-a", core::to_string(job.cpus), "-D", duration, "-q"};
  const auto add = [&](std::initializer_list<std::string> words) { spec.argv.insert(spec.argv.end(), words); };
  add({"--json", job.json_path, "--snapshot", job.control ? kSnapshotEveryOfControl : kSnapshotEvery});
  if (job.control) add({"--outliers", std::to_string(kOutliersOfControl)});
  if (records_kernel_events(*kind_, job)) add({"--kernel-events"});
  const std::vector<std::string> own = kind_->own_words(job);
  spec.argv.insert(spec.argv.end(), own.begin(), own.end());
  spec.argv.insert(spec.argv.end(), job.arguments.begin(), job.arguments.end());
  return spec;
}

bool OwnMeter::measuring(const core::Child& child, const MeterJob& job) const {
  if (child.cpu_seconds() >= kSurelyUnderWay_s * static_cast<double>(job.cpus.size())) return true;
  const core::Result<core::RunResult> snapshot = core::read_run(job.json_path);
  return snapshot.ok() && every_cpu_has_samples(*snapshot, job.cpus);
}

core::Result<core::Phase> OwnMeter::read(const MeterJob& job, const core::ProcessEnd& end) const {
  const std::string program = fmt::format("maxlat {}", to_string(kind_));
  const bool measured = end.exit_status == static_cast<int>(core::Exit::pass) ||
                        end.exit_status == static_cast<int>(core::Exit::limit_exceeded) ||
                        end.exit_status == static_cast<int>(core::Exit::invalid);
  if (!measured) return core::error_of_child(program, end);
  const core::Result<core::RunResult> run = core::read_run(job.json_path);
  // Exit 3 without a result is a refusal, and its reason is on standard error.
  if (!run) return end.succeeded() ? run.error() : core::error_of_child(program, end);
  if (run->phases.size() != 1)
    return core::Error{fmt::format("{}: expected one phase in '{}'", program, job.json_path)};
  if (run->phases[0].status == core::PhaseStatus::ok && !every_cpu_has_samples(*run, job.cpus)) {
    return core::Error{fmt::format("{} has no sample of some of CPUs {}", program, core::to_string(job.cpus))};
  }
  core::Phase phase = run->phases[0];
  if (kind_->kernel_events && !job.kernel_events) phase.facts[core::fact::kKernelEvents] = "not recorded: left out";
  return phase;
}

core::ControlResult OwnMeter::match(const std::vector<loadgen::Stall>& stalls, const core::Phase& phase,
                                    double stated_error_ns) const {
  if (kind_->interval_ns == 0) return loadgen::match_gaps(to_string(kind_), stalls, phase, stated_error_ns);
  return loadgen::match_periodic(to_string(kind_), stalls, phase, static_cast<double>(kind_->interval_ns),
                                 stated_error_ns);
}

}  // namespace maxlat::rteval_ext
