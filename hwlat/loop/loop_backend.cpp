// SPDX-License-Identifier: MIT
#include "loop_backend.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <maxlat/attribution/outlier_accounting.hpp>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/result/phase_kind.hpp>
#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/core/sys/run_queue_wait.hpp>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <memory>
#include <optional>
#include <thread>

#include "window_sampler.hpp"

namespace maxlat::hwlat {

namespace {

using Clock = std::chrono::steady_clock;

// Time for the threads to be made, pinned and put to sleep before the first window begins.
constexpr uint64_t kTimeToStart_ns = 50'000'000;

core::Status become_real_time(unsigned cpu, int priority) {
  core::Scheduling scheduling;
  scheduling.policy = core::Policy::fifo;
  scheduling.priority = priority;
  // Priority before affinity: an ordinary thread would wait on that CPU for whoever keeps it busy.
  if (const core::Status set = core::set_scheduling(scheduling); !set) return set;
  if (const core::Status pinned = core::set_affinity({cpu}); !pinned) return pinned;
  core::touch_stack();
  return {};
}

// The sampling threads, one for each CPU; the end of this object is the end of them.
class Threads {
 public:
  // `watch` accounts for the largest gaps; null: nobody does.
  Threads(const Settings& settings, const WindowSpec& spec, attribution::KernelWatch* watch) {
    for (const unsigned cpu : settings.cpus) {
      lanes_.push_back(std::make_unique<Lane>(spec, watch == nullptr ? nullptr : &watch->gaps_of(cpu)));
      Lane& lane = *lanes_.back();
      lane.cpu = cpu;
      lane.thread = std::thread([this, &lane, cpu, priority = settings.priority] {
        lane.thread_id.store(::gettid(), std::memory_order_relaxed);  // relaxed: a number alone
        if (lane.asked != nullptr) lane.asked->watch(::gettid());
        lane.ready = become_real_time(cpu, priority);
        if (lane.ready) lane.sample(stop_, core::HomeCpu::of_this_thread(cpu));
        lane.ended.store(true, std::memory_order_relaxed);  // relaxed: only whether to watch it still
        running_.fetch_sub(1, std::memory_order_release);   // release: the reader of 0 sees every lane's `ready`
      });
      running_.fetch_add(1,
                         std::memory_order_relaxed);  // relaxed: only this thread waits for 0, after having added all
    }
  }
  ~Threads() { join(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  bool all_ended() const { return running_.load(std::memory_order_acquire) <= 0; }
  void ask_to_stop() { stop_.store(true, std::memory_order_relaxed); }  // relaxed: a flag, what it stops is joined
  std::vector<core::WatchedLoop> loops() const {
    std::vector<core::WatchedLoop> loops;
    for (const auto& lane : lanes_)
      loops.push_back({lane->thread_id.load(std::memory_order_relaxed), lane->cpu,
                       lane->ended.load(std::memory_order_relaxed), lane->sampler.has_samples()});
    return loops;
  }
  void join() {
    ask_to_stop();
    for (const auto& lane : lanes_) {
      if (lane->thread.joinable()) lane->thread.join();
    }
  }
  // REQUIRES: joined.
  core::Status first_error() const {
    for (const auto& lane : lanes_) {
      if (!lane->ready) return lane->ready;
    }
    return {};
  }
  // What other tasks took of each CPU. REQUIRES: joined.
  std::vector<core::TakenTime> taken() const {
    std::vector<core::TakenTime> taken;
    for (const auto& lane : lanes_) taken.push_back({lane->cpu, lane->taken_by_others_ns, lane->sampled_s});
    return taken;
  }
  // Why not all of a lane's books are of its CPU; "" when they are. REQUIRES: joined.
  const std::string& why_left(size_t index) const { return lanes_[index]->why_left; }
  Books books(size_t index) const { return lanes_[index]->sampler.books(); }

 private:
  struct Lane {
    Lane(const WindowSpec& spec, core::AskedGaps* of_cpu) : asked(of_cpu), sampler(spec, of_cpu) {}
    core::AskedGaps* const asked;
    WindowSampler sampler;
    unsigned cpu = 0;
    std::atomic<int> thread_id{0};
    std::atomic<bool> ended{false};
    core::Status ready;
    std::thread thread;
    uint64_t taken_by_others_ns = 0;
    double sampled_s = 0;
    std::string why_left;

    void sample(const std::atomic<bool>& stop, const core::HomeCpu& home) {
      const core::RunQueueWait wait;
      const uint64_t start_ns = base::monotonic_ns(), waited_ns = wait.ns();
      sampler.run(stop, home);
      taken_by_others_ns = wait.ns() - waited_ns;
      sampled_s = static_cast<double>(base::monotonic_ns() - start_ns) * 1e-9;
      why_left = sampler.why_left();
    }
  };
  std::atomic<bool> stop_{false};
  std::atomic<int> running_{0};
  std::vector<std::unique_ptr<Lane>> lanes_;
};

attribution::KernelWatching watch_kernel(const Settings& settings, const base::CounterClock& clock, bool has_own_cpu) {
  if (settings.kernel_events.empty()) return {};
  if (!has_own_cpu) return {nullptr, "every CPU is watched, so none is left to read the events on"};
  return attribution::watch_kernel({.cpus = settings.cpus,
                                    .ticks_per_ns = clock.ticks_per_ns,
                                    .gaps_kept = settings.outliers,
                                    .backend = settings.kernel_events});
}

// REQUIRES: joined.
void enter_accounting(attribution::KernelWatch& watch, const Threads& threads, core::Phase& phase) {
  std::vector<std::vector<core::OutlierSample>> outliers;
  for (size_t i = 0; i < phase.per_cpu.size(); ++i) outliers.push_back(threads.books(i).outliers.largest_first());
  attribution::enter_accounting(watch.finish(), outliers, phase);
}

struct LoopContext {
  const Settings& settings;
  const base::CounterClock& clock;
  uint64_t start_ticks;
};

double since_start_ns(const LoopContext& context, uint64_t ticks) {
  return ticks > context.start_ticks ? context.clock.to_ns(static_cast<double>(ticks - context.start_ticks)) : 0;
}

core::CpuResult cpu_result(const LoopContext& context, unsigned cpu, const Books& books, Measurement& measured) {
  core::CpuResult result = core::cpu_result_from(cpu, books.histogram, context.clock, context.start_ticks);
  result.exposure_s = context.clock.to_ns(static_cast<double>(books.watched_ticks)) * 1e-9;
  uint64_t above = 0;
  for (const core::OutlierSample& sample : books.outliers.largest_first()) {
    const double latency_ns = context.clock.to_ns(static_cast<double>(sample.ticks));
    result.outliers.push_back({since_start_ns(context, sample.time), latency_ns, cpu, ""});
    if (latency_ns <= static_cast<double>(context.settings.threshold_ns)) continue;
    Finding finding;
    finding.t_ns = result.outliers.back().t_ns;
    finding.cpu = cpu;
    finding.inner_ns = latency_ns;
    finding.upper_bound = true;
    measured.findings.push_back(finding);
    ++above;
  }
  // The largest are kept. Where there was room for one more, or one of them is not above, all that are above are there.
  if (above < context.settings.outliers) measured.above[cpu] = above;
  result.timeline.step_s = static_cast<double>(context.settings.window_ns) * 1e-9;
  for (const uint64_t ticks : books.largest_of_window) {
    result.timeline.max_ns.push_back(context.clock.to_ns(static_cast<double>(ticks)));
  }
  return result;
}

Measurement measurement(const LoopContext& context, const Threads& threads) {
  Measurement measured;
  measured.phase.kind = core::kHwlatKind.name;
  measured.phase.status = core::PhaseStatus::ok;
  for (size_t i = 0; i < context.settings.cpus.size(); ++i) {
    const Books books = threads.books(i);
    if (books.watched_ticks == 0) continue;
    measured.phase.per_cpu.push_back(cpu_result(context, context.settings.cpus[i], books, measured));
    measured.phase.exposure_s += measured.phase.per_cpu.back().exposure_s;
  }
  std::sort(measured.findings.begin(), measured.findings.end(),
            [](const auto& a, const auto& b) { return a.t_ns < b.t_ns; });
  auto& facts = measured.phase.facts;
  facts["sample"] = "gap between two fenced counter reads";
  facts["priority"] = fmt::format("SCHED_FIFO {}", context.settings.priority);
  facts["counter"] =
      fmt::format("{:.3f} MHz, rate from {}", context.clock.ticks_per_ns * 1e3, base::to_string(context.clock.source));
  return measured;
}

std::optional<Clock::time_point> planned_end(const Settings& settings) {
  if (settings.duration_ns == 0) return {};
  return Clock::now() + std::chrono::nanoseconds(settings.duration_ns);
}

// What there is, and why it is not valid.
core::Result<Measurement> starved(Measurement measured, const std::string& by) {
  if (measured.phase.per_cpu.empty())
    return core::Error{by, "end that task, or watch other CPUs (-a)", core::Exit::invalid};
  measured.phase.status = core::PhaseStatus::invalid;
  measured.phase.reason = by;
  return measured;
}

void enter(const core::TakenTime& taken, core::Phase& phase) {
  const auto verdict = core::judge(taken);
  if (!verdict) return;
  if (!verdict->too_much) return phase.warnings.push_back(verdict->text);
  phase.status = core::PhaseStatus::invalid;
  phase.reason = verdict->text;
}

void enter_who_left(const Threads& threads, core::Phase& phase) {
  for (size_t i = 0; i < phase.per_cpu.size(); ++i) {
    const std::string& why = threads.why_left(i);
    if (why.empty()) continue;
    phase.status = core::PhaseStatus::invalid;
    phase.reason = core::watched_until_it_left(why, phase.per_cpu[i].exposure_s);
    return;
  }
}

}  // namespace

core::Result<Measurement> LoopBackend::measure(const Settings& settings, const Observer& observer) {
  const base::CounterClock clock = base::calibrate();
  if (!clock.trusted && !settings.trust_counter) {
    return core::Error{"the time-stamp counter cannot be trusted: " + clock.why,
                       "--backend tracer does not need it; --trust-counter takes it all the same", core::Exit::invalid};
  }
  const core::OffCpus off(settings.cpus);
  const attribution::KernelWatching kernel = watch_kernel(settings, clock, off.elsewhere());
  std::vector<std::string> warnings;
  if (!off.shares_them_because().empty()) warnings.push_back(off.shares_them_because());
  if (!clock.trusted) warnings.push_back("the time-stamp counter is taken as asked, though " + clock.why);
  if (const core::Status locked = core::lock_memory(); !locked) warnings.push_back(locked.error().text);

  const uint64_t start_ns = base::monotonic_ns() + kTimeToStart_ns;
  const WindowSpec spec{settings.window_ns, settings.width_ns,  settings.duration_ns,
                        start_ns,           clock.ticks_per_ns, settings.outliers};
  const base::Moment anchor = base::read_both(CLOCK_MONOTONIC);
  const LoopContext context{settings, clock, anchor.ticks + clock.to_ticks(start_ns - anchor.ns)};
  Threads threads(settings, spec, kernel.watch.get());

  const double snapshot_s = static_cast<double>(settings.snapshot_period_ns) * 1e-9;
  double next_snapshot_s = snapshot_s;
  uint64_t second = 1;
  core::StarvationWatch watch(planned_end(settings));
  std::optional<std::string> starved_by;
  bool stopped = false;
  while (!threads.all_ended()) {
    pollfd stop{core::stop_fd(), POLLIN, 0};
    ::poll(&stop, stopped ? 0 : 1, 100);
    stopped = stopped || (core::stop_requested().load(std::memory_order_relaxed) && !threads.all_ended());
    if (auto who = watch.look(threads.loops(), stopped, Clock::now())) starved_by = std::move(who);
    if (stopped || starved_by) threads.ask_to_stop();
    if (stopped) continue;
    const uint64_t now_ns = base::monotonic_ns();
    if (now_ns < start_ns + second * 1'000'000'000) continue;
    const auto elapsed_s = static_cast<double>(second++);
    if (observer.on_second) observer.on_second(elapsed_s);
    if (snapshot_s <= 0 || elapsed_s < next_snapshot_s || !observer.on_snapshot) continue;
    observer.on_snapshot(measurement(context, threads));
    next_snapshot_s += snapshot_s;
  }
  threads.join();
  if (starved_by) return starved(measurement(context, threads), *starved_by);
  if (const core::Status ready = threads.first_error(); !ready) return ready.error();

  Measurement measured = measurement(context, threads);
  if (measured.phase.per_cpu.size() < settings.cpus.size()) {
    return core::Error{"stopped before every CPU had been watched", "", core::Exit::invalid};
  }
  if (stopped) measured.phase.status = core::PhaseStatus::interrupted;
  core::set_start(measured.phase, start_ns);
  measured.phase.warnings = std::move(warnings);
  tell_of(kernel, measured.phase);
  if (kernel.watch) enter_accounting(*kernel.watch, threads, measured.phase);
  for (const core::TakenTime& taken : threads.taken()) enter(taken, measured.phase);
  enter_who_left(threads, measured.phase);
  return measured;
}

extern const BackendDefinition kLoopBackend{
    .name = "loop",
    .what = "a real-time thread on each CPU: every gap, an upper bound",
    .interrupts_off = false,
    .samples_in_turn = false,
    .make = [] { return std::unique_ptr<Backend>(std::make_unique<LoopBackend>()); }};

}  // namespace maxlat::hwlat
