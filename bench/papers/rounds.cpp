// SPDX-License-Identifier: MIT
#include "rounds.hpp"

#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <numeric>
#include <random>

namespace maxlat::bench::papers {

constexpr double kShared = 1.2;  // of the fastest empty loop
constexpr size_t kMostTimes = 10;
constexpr unsigned kFew = 20;

unsigned rounds_of(int argc, char** argv, unsigned unless_told) {
  if (argc == 1) return unless_told;
  const std::string_view text = argv[1];
  unsigned rounds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rounds);
  if (argc == 2 && error == std::errc() && end == text.data() + text.size() && rounds > 0) return rounds;
  fmt::print(stderr, "usage: {} [ROUNDS]\n",
             std::string_view(argv[0]).substr(std::string_view(argv[0]).rfind('/') + 1));
  return 0;
}

void empty_loop(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) keep(i);
}

void counter_reads(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) keep(maxlat_counter_plain());
}

Outcome run_rounds(const std::vector<Arm>& arms, unsigned wanted, const base::CounterClock& clock) {
  std::vector<std::vector<double>> ns;
  std::vector<size_t> order(arms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937_64 random(1);
  for (const Arm& arm : arms) arm.run(arm.turns);  // caches and branch predictors, as the thesis has them: warm
  double fastest = 0;
  const auto counts = [&](const std::vector<double>& round) { return round[0] <= kShared * fastest; };
  const auto all_that_count = [&] { return static_cast<unsigned>(std::count_if(ns.begin(), ns.end(), counts)); };
  while (all_that_count() < wanted && ns.size() < kMostTimes * wanted) {
    std::vector<double>& round = ns.emplace_back(arms.size());
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {
      const uint64_t begin = maxlat_counter_fenced();
      arms[i].run(arms[i].turns);
      round[i] = clock.to_ns(static_cast<double>(maxlat_counter_fenced() - begin)) / static_cast<double>(arms[i].turns);
    }
    fastest = ns.size() == 1 ? round[0] : std::min(fastest, round[0]);
  }
  Outcome outcome{.costs = {}, .rounds = static_cast<unsigned>(ns.size()), .alone = all_that_count()};
  for (size_t i = 0; i < arms.size(); ++i) {
    std::vector<double> all, ratios;
    for (const auto& round : ns) {
      if (!counts(round)) continue;
      all.push_back(round[i]);
      ratios.push_back(round[i] / round[1]);
    }
    outcome.costs.push_back({core::median(std::move(all)), core::median(std::move(ratios))});
  }
  return outcome;
}

std::string about_rounds(const Outcome& outcome) {
  return fmt::format("{} rounds, {} of them on a core that was not shared, and medians of these{}.", outcome.rounds,
                     outcome.alone, outcome.alone < kFew ? ": too few to say anything, so do it again" : "");
}

unsigned begin_on_one_cpu(const base::CounterClock& clock) {
  const auto cpus = core::allowed_cpus();
  if (!cpus || cpus->empty() || !core::set_affinity({cpus->back()})) {
    std::fputs("cannot stay on one CPU\n", stderr);
    std::exit(1);
  }
  const bool real_time = core::set_scheduling({core::Policy::fifo, 95, 0, 0}).ok();
  fmt::print("CPU {}, {}, counter {:.0f} MHz.\n", cpus->back(), real_time ? "SCHED_FIFO 95" : "SCHED_OTHER",
             clock.ticks_per_ns * 1e3);
  return cpus->back();
}

}  // namespace maxlat::bench::papers
