// SPDX-License-Identifier: MIT
//
// What npt's loop costs above a bare read of the counter, and what npt 1.01's cost, in one process, interleaved.
//
//   bare       reads the counter and does nothing
//   maxlat     run_segment: histogram, outliers, timeline, exact sums, delayed filing
//   npt 1.01   what version 1.01 does in a turn, restated here from its description: the gap in floating point,
//              minimum, maximum, sum, mean and square (Welford 1962), a million equal buckets
//
// each with the plain and with the fenced read. A round runs every arm once, in random order; a round's figure is the
// mean gap of a stretch of 2 ms; printed are the median over the rounds and the median of the ratio to the bare read of
// the same kind in the same round. Limit: maxlat at most 1.1 x bare.
//
//   npt_loop_bench [ROUNDS] [CPU]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <random>
#include <string>
#include <vector>

#include "loop/counter_read.hpp"
#include "loop/loop.hpp"

namespace {

using namespace maxlat;

constexpr uint64_t kTurns = 100'000;

struct NptBooks {
  double min = 99999, max = 0, sum = 0, mean = 0, square = 0;
  uint64_t counted = 0, overruns = 0;
  std::vector<uint64_t> buckets = std::vector<uint64_t>(1'000'000);
};

template <class Counter>
[[gnu::noinline]] uint64_t run_npt_1_01(Counter counter, NptBooks& books, double us_per_tick) {
  const uint64_t first = counter.read();
  uint64_t last = first, now = first;
  for (uint64_t i = 0; i < kTurns; ++i) {
    const double duration = static_cast<double>(now - last) * us_per_tick;
    ++books.counted;
    if (duration < books.min) books.min = duration;
    if (duration > books.max) books.max = duration;
    books.sum += duration;
    const double delta = duration - books.mean;
    books.mean += delta / static_cast<double>(books.counted);
    books.square += delta * (duration - books.mean);
    if (duration < static_cast<double>(books.buckets.size()))
      ++books.buckets[static_cast<size_t>(duration)];
    else
      ++books.overruns;
    last = now;
    now = counter.read();
  }
  return now - first;
}

struct Arm {
  std::string name;
  bool fenced;
  std::function<uint64_t()> run;  // ticks for kTurns turns
  std::vector<double> ns{};
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Counter>
void add_arms(std::vector<Arm>& arms, Counter counter, bool fenced, const base::CounterClock& clock,
              core::Journal& journal, base::Histogram& histogram, NptBooks& books) {
  arms.push_back({"bare", fenced, [=] { return npt::run_bare_reads(counter, kTurns); }});
  arms.push_back({"maxlat", fenced, [=, &journal, &histogram] {
                    const auto segment = npt::run_segment(counter, npt::NoProbe{}, &histogram.raw(), &journal, kTurns);
                    return segment.last - segment.first;
                  }});
  arms.push_back(
      {"npt 1.01", fenced, [=, &books] { return run_npt_1_01(counter, books, 1 / (clock.ticks_per_ns * 1e3)); }});
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 201;
  const auto cpu = static_cast<unsigned>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : core::allowed_cpus()->back());
  const base::CounterClock clock = base::calibrate();
  if (const auto pinned = core::set_affinity({cpu}); !pinned) {
    fmt::print(stderr, "npt_loop_bench: {}\n", pinned.error().text);
    return 1;
  }
  const bool real_time = core::set_scheduling({core::Policy::fifo, 95, 0, 0}).ok();
  const std::atomic<bool> never{false};
  std::atomic<bool> halt{false};
  core::JournalSpec spec;
  spec.step_ticks = clock.to_ticks(uint64_t{1'000'000'000});
  spec.steps = 3600;
  spec.look_every_ticks = spec.step_ticks / 10;
  spec.outliers = 20;
  spec.stop = &never;
  spec.halt = &halt;
  core::Journal journal(spec);
  base::Histogram histogram;
  NptBooks books;
  journal.begin(maxlat_counter_fenced());

  std::vector<Arm> arms;
  add_arms(arms, npt::PlainCounter{}, false, clock, journal, histogram, books);
  add_arms(arms, npt::FencedCounter{}, true, clock, journal, histogram, books);
  std::vector<size_t> order{0, 1, 2, 3, 4, 5};
  std::mt19937_64 random(1);
  for (size_t round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) arms[i].ns.push_back(clock.to_ns(static_cast<double>(arms[i].run())) / kTurns);
  }

  fmt::print("# CPU {}, counter {:.3f} MHz ({}), {}, {} rounds of {} turns, seed 1\n", cpu, clock.ticks_per_ns * 1e3,
             base::to_string(clock.source), real_time ? "SCHED_FIFO 95" : "SCHED_OTHER (no permission for FIFO)",
             rounds, kTurns);
  fmt::print("{:10} {:8} {:>14} {:>10} {:>14} {:>16}\n", "loop", "read", "median ns/turn", "min", "median ratio",
             "ratio of minima");
  bool kept = true;
  for (size_t i = 0; i < arms.size(); ++i) {
    const Arm& bare = arms[i - i % 3];
    std::vector<double> ratios;
    for (size_t round = 0; round < rounds; ++round) ratios.push_back(arms[i].ns[round] / bare.ns[round]);
    const auto least = [](const Arm& arm) { return *std::min_element(arm.ns.begin(), arm.ns.end()); };
    fmt::print("{:10} {:8} {:14.2f} {:10.2f} {:14.3f} {:16.3f}\n", arms[i].name, arms[i].fenced ? "fenced" : "plain",
               median(arms[i].ns), least(arms[i]), median(ratios), least(arms[i]) / least(bare));
    if (arms[i].name == "maxlat") kept = kept && median(ratios) <= 1.1;
  }
  fmt::print("limit: maxlat at most 1.1 x bare: {}\n", kept ? "kept" : "NOT KEPT");
  return kept ? 0 : 2;
}
