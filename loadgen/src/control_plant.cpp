// SPDX-License-Identifier: MIT
//
// The hog. Its spin is by the counter, not by the clock: the clock may need a system call, and the counter is what the
// meters under test are made of. It begins at an absolute time in its future, because a hog that is still running when
// its time comes has no idea how long it has been holding the CPU.
#include <fmt/format.h>
#include <maxlat/base/counter.h>
#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/moment.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/loadgen/control.hpp>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

namespace maxlat::loadgen {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

void sleep_until(uint64_t at_ns) {
  const timespec at{.tv_sec = static_cast<time_t>(at_ns / kSecond), .tv_nsec = static_cast<long>(at_ns % kSecond)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR &&
         !core::stop_requested().load(std::memory_order_relaxed)) {
  }
}

// The counter is read outside the clock, so that `actual` holds all of what the hog did. `due_ns`: when its timer was
// to wake it.
Stall hold(unsigned cpu, uint64_t due_ns, uint64_t length_ns, const base::CounterClock& clock) {
  const uint64_t length = clock.to_ticks(length_ns) + 1;  // the conversion rounds down; a stall is never too short
  const uint64_t begin = maxlat_counter_fenced();
  const uint64_t begin_ns = base::monotonic_ns();
  while (maxlat_counter_fenced() - begin < length) {
  }
  const uint64_t end_ns = base::monotonic_ns();
  const uint64_t end = maxlat_counter_fenced();
  return {.cpu = cpu,
          .planted_ns = length_ns,
          .actual_ns = clock.to_ns(end - begin),
          .wake_ns = begin_ns - due_ns,
          .begin_monotonic_ns = begin_ns,
          .end_monotonic_ns = end_ns};
}

core::Status become_hog(unsigned cpu, int priority) {
  // Priority first: an ordinary thread that is moved to the CPU of a FIFO meter would wait there for the meter's rest,
  // and all its stalls would fall into it.
  const core::Status raised = core::set_scheduling({.policy = core::Policy::fifo, .priority = priority});
  return raised ? core::set_affinity({cpu}) : raised;
}

core::Status hog_on(unsigned cpu, const StallPlan& plan, const base::CounterClock& clock, std::mt19937_64& random,
                    std::vector<Stall>& stalls) {
  std::vector<uint64_t> lengths;
  for (unsigned i = 0; i < plan.repeats; ++i)
    lengths.insert(lengths.end(), plan.lengths_ns.begin(), plan.lengths_ns.end());
  std::shuffle(lengths.begin(), lengths.end(), random);
  std::uniform_real_distribution<double> jitter(0.5, 1.5);

  if (core::Status hog = become_hog(cpu, plan.priority); !hog) return hog;
  core::touch_stack(64 * 1024);
  for (const uint64_t length : lengths) {
    const uint64_t due_ns =
        base::monotonic_ns() + static_cast<uint64_t>(static_cast<double>(plan.spacing_ns) * jitter(random));
    sleep_until(due_ns);
    if (core::stop_requested().load(std::memory_order_relaxed)) break;  // relaxed: a flag, it orders nothing
    stalls.push_back(hold(cpu, due_ns, length, clock));
  }
  // The end of a thread takes 100 us and more, at the hog's priority: it must not look like a part of the last stall.
  sleep_until(base::monotonic_ns() + plan.spacing_ns);
  return {};
}

core::Status require_sensible(const StallPlan& plan) {
  if (plan.lengths_ns.empty()) return core::Error{"a control needs at least one stall", "give --stalls 50us,500us,5ms"};
  if (plan.repeats == 0) return core::Error{"a control needs at least one stall of each length", "give --repeats 1"};
  for (const uint64_t length : plan.lengths_ns)
    if (length == 0 || length > kLongestStallNs)
      return core::Error{
          fmt::format("cannot plant a stall of {}", core::duration_text(static_cast<double>(length) * 1e-9)),
          "a stall is longer than 0 and at most 1 s"};
  return core::require_usable(plan.cpus);
}

}  // namespace

core::Result<std::vector<Stall>> plant_stalls(const StallPlan& plan) {
  if (core::Status sensible = require_sensible(plan); !sensible) return sensible.error();
  const base::CounterClock clock = base::calibrate();
  std::mt19937_64 random(plan.seed);
  std::vector<Stall> stalls;
  stalls.reserve(plan.cpus.size() * plan.lengths_ns.size() * plan.repeats);  // the hog does not allocate
  core::Status status;
  for (const unsigned cpu : plan.cpus) {
    try {
      // A thread for each CPU, because affinity and policy end with it and the caller keeps its own.
      std::thread hog([&] { status = hog_on(cpu, plan, clock, random, stalls); });
      hog.join();
    } catch (const std::system_error& failure) {
      return core::system_error("cannot start the control's thread", failure.code().value());
    }
    if (!status) return status.error();
    if (core::stop_requested().load(std::memory_order_relaxed)) break;
  }
  return stalls;
}

}  // namespace maxlat::loadgen
