// SPDX-License-Identifier: MIT
//
// paper_scaling [ROUNDS]: does an event cost the same when all CPUs trace (Desnoyers 2012, Figure 7: linear from one to
// eight)? 1 to all CPUs trace at once, each with a thread that stays there: events of three fields into a flight
// recorder of 4 x 64 KiB a ring, which stays in the caches, so that the tracer is seen and not the memory.
//
// Rings of threads, rings of CPUs, and two loops that tell what the machine does: bare counter reads, which share
// nothing, and a locked add to one word of everybody, which is what a tracer without rings of its own would do. Each
// arm with each number of threads in each round, in an order drawn anew; printed are medians over the rounds of the
// mean over the threads. CPUs of different cores come first; rows say from where on they share one.
#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/trace/trace.hpp>
#include <numeric>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "flight_recorder.hpp"
#include "rounds.hpp"

MAXLAT_TRACE_EVENT(papers, of_thread, (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c))
MAXLAT_TRACE_EVENT(papers, of_cpu, (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c))

namespace {

using namespace maxlat;
using namespace maxlat::bench::papers;

constexpr uint64_t kTurns = 200'000, kWarmUp = 2'000;
alignas(64) std::atomic<uint64_t> everybodys = 0;

void events_of_threads(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) MAXLAT_TRACE(papers, of_thread, i, i, i);
}
void events_of_cpus(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) MAXLAT_TRACE(papers, of_cpu, i, i, i);
}
void shared_word(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) everybodys.fetch_add(1, std::memory_order_relaxed);
}

constexpr std::array<Arm, 4> kArms = {{{"counter read", counter_reads, kTurns},
                                       {"event, ring of the thread", events_of_threads, kTurns},
                                       {"event, ring of the CPU", events_of_cpus, kTurns},
                                       {"locked add to one word", shared_word, kTurns}}};

// One of each core first. `cores`: how many these are.
core::CpuList cpus_by_core(const core::CpuList& all, size_t& cores) {
  core::CpuList first, others;
  for (const unsigned cpu : all) {
    const auto text = core::read_file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    const auto siblings = core::parse_cpu_list(text.value_or(""));
    const bool has_one = siblings && !core::intersection(*siblings, first).empty();
    (has_one ? others : first).push_back(cpu);
    std::sort(first.begin(), first.end());
  }
  cores = first.size();
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

// ns of a turn, the mean over as many threads as CPUs, which all run from the first turn of the last to begin.
double together(const Arm& arm, std::span<const unsigned> cpus, const base::CounterClock& clock) {
  std::atomic<size_t> ready = 0, ended = 0;
  std::vector<double> ns(cpus.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < cpus.size(); ++i)
    threads.emplace_back([&, i] {
      if (!core::set_affinity({cpus[i]}) || !trace::prepare_thread()) std::abort();
      arm.run(kWarmUp);
      ready.fetch_add(1);
      while (ready.load() < cpus.size()) continue;
      const uint64_t begin = maxlat_counter_fenced();
      arm.run(arm.turns);
      ns[i] = clock.to_ns(static_cast<double>(maxlat_counter_fenced() - begin)) / static_cast<double>(arm.turns);
      ended.fetch_add(1);
      while (ended.load() < cpus.size()) arm.run(100);  // the others have company to their ends
    });
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(ns.begin(), ns.end(), 0.0) / static_cast<double>(ns.size());
}

trace::Session two_recorders(const base::CounterClock& clock) {
  constexpr std::uint64_t kSubBuffer = 64 << 10;
  return flight_recorder(
      clock, {{.name = "of_thread", .ownership = trace::Ownership::per_thread, .sub_buffer_size = kSubBuffer},
              {.name = "of_cpu", .ownership = trace::Ownership::per_cpu, .sub_buffer_size = kSubBuffer}});
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = rounds_of(argc, argv, 21);
  const auto allowed = core::allowed_cpus();
  if (rounds == 0) return 1;
  if (!allowed) {
    fmt::print(stderr, "{}\n", allowed.error().text);
    return 1;
  }
  const base::CounterClock clock = base::calibrate();
  size_t cores = 0;
  const core::CpuList cpus = cpus_by_core(*allowed, cores);
  fmt::print("## From one CPU to all (Desnoyers 2012, Figure 7)\n\n{} rounds, {} CPUs on {} cores.\n\n", rounds,
             cpus.size(), cores);
  const trace::Session session = two_recorders(clock);

  struct Trial {
    size_t arm, threads;
  };
  std::vector<Trial> trials;
  for (size_t arm = 0; arm < kArms.size(); ++arm)
    for (size_t threads = 1; threads <= cpus.size(); ++threads) trials.push_back({arm, threads});
  std::map<std::pair<size_t, size_t>, std::vector<double>> ns;
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    std::shuffle(trials.begin(), trials.end(), random);
    for (const Trial& trial : trials)
      ns[{trial.threads, trial.arm}].push_back(together(kArms[trial.arm], std::span(cpus).first(trial.threads), clock));
  }

  fmt::print("| CPUs |");
  for (const Arm& arm : kArms) fmt::print(" {}, ns | to one CPU |", arm.name);
  fmt::print("\n|--:|");
  for (size_t arm = 0; arm < kArms.size(); ++arm) fmt::print("--:|--:|");
  for (size_t threads = 1; threads <= cpus.size(); ++threads) {
    fmt::print("\n| {}{} |", threads, threads > cores ? ", shared cores" : "");
    for (size_t arm = 0; arm < kArms.size(); ++arm)
      fmt::print(" {:.2f} | {:.2f} |", core::median(ns[{threads, arm}]),
                 core::median(ns[{threads, arm}]) / core::median(ns[{1, arm}]));
  }
  fmt::print("\n");
  return 0;
}
