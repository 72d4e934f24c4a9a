// SPDX-License-Identifier: MIT
//
// What an event costs here and in LTTng-UST, in one run: all arms in every round, in an order drawn anew, so that what
// the machine does meanwhile hits them alike. Started by tracer_peers.py, which gives LTTng its daemon.
//
//   batch    20 000 events back to back; ticks an event, and the median over rounds of the ratio to the bare counter
//            reads of the same round
//   single   one event between lfence;rdtsc and rdtscp: quantiles of the samples, the harness itself beside them;
//            arms take turns every 256 samples
//   cold     the same, a millisecond apart, after 4 MiB of other memory were touched
//   first    the first event of a new thread, prepared where that can be
//   threads  events a second of 1 and of all threads, each on a CPU of its own
//   rate     (FOLDER rate WHO EVENTS_A_MICROSECOND, a run of its own): events lost with 32 sub-buffers of 1 MiB
//
// Rings of the batch have 4 sub-buffers of 1 MiB; this thread drains ours between batches, and lets LTTng's daemon
// drain its own.
#include <maxlat/base/counter.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <maxlat/base/clock.hpp>
#include <maxlat/trace/recorder.hpp>
#include <maxlat/trace/session.hpp>
#include <maxlat/trace/thread.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "arms.hpp"

namespace {

using namespace maxlat;
using namespace maxlat::bench;
using namespace std::chrono_literals;

constexpr std::uint64_t kBatch = 20'000;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "tracer_peers: %s\n", what.c_str());
  std::exit(1);
}
void check(const base::Status& status) {
  if (!status) fail(status.error().text);
}
template <class Value>
Value value_of(base::Result<Value> result) {
  if (!result) fail(result.error().text);
  return std::move(*result);
}

std::chrono::nanoseconds now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

void pin(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  sched_setaffinity(0, sizeof cpus, &cpus);
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

// Our side: one session in which every arm has its channel. The full one is small and nobody reads it.
class OurSession {
 public:
  explicit OurSession(const std::string& folder)
      : session_(value_of(trace::Session::create({.name = "peers"}))),
        full_(value_of(trace::Session::create({.name = "full"}))) {
    using trace::Delivery, trace::FullBuffer, trace::Ownership;
    channel("thread_discard", Ownership::per_thread, FullBuffer::discard, Delivery::timer);
    channel("thread_overwrite", Ownership::per_thread, FullBuffer::overwrite, Delivery::timer);
    channel("thread_wakeup", Ownership::per_thread, FullBuffer::discard, Delivery::wakeup);
    channel("cpu_discard", Ownership::per_cpu, FullBuffer::discard, Delivery::timer);
    channel("cpu_overwrite", Ownership::per_cpu, FullBuffer::overwrite, Delivery::timer);
    channel("cpu_wakeup", Ownership::per_cpu, FullBuffer::discard, Delivery::wakeup);
    check(full_.add_channel({.name = "full", .sub_buffer_size = 4096, .sub_buffers = 2}));
    check(full_.enable("full", "full:*"));
    check(session_.start());
    check(full_.start());
    const auto descriptors = value_of(session_.descriptors());
    recorder_ =
        std::make_unique<trace::Recorder>(value_of(trace::Recorder::attach(descriptors.memory, {.directory = folder})));
  }
  void drain() { recorder_->round(now()); }
  void finish() {
    check(session_.stop());
    for (const auto& books : recorder_->finish(trace::RecordingEnd::stopped).channels)
      if (books.lost() != 0)
        std::printf("# %s: %lu of %lu events lost\n", books.name.c_str(), books.lost(), books.produced);
  }

 private:
  void channel(const std::string& name, trace::Ownership ownership, trace::FullBuffer when_full,
               trace::Delivery delivery) {
    check(session_.add_channel({.name = name, .when_full = when_full, .ownership = ownership, .delivery = delivery}));
    check(session_.enable(name, name + ":*"));
  }
  trace::Session session_, full_;
  std::unique_ptr<trace::Recorder> recorder_;
};

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void keep(std::uint64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}
__attribute__((noinline)) void bare_reads(std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) keep(maxlat_counter_plain());
}
__attribute__((noinline)) void empty_loop(std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) asm volatile("" : : : "memory");
}

double ticks_each(void (*run)(std::uint64_t)) {
  const std::uint64_t begin = maxlat_counter_fenced();
  run(kBatch);
  return static_cast<double>(maxlat_counter_fenced() - begin) / kBatch;
}

void batches(const std::vector<Arm>& arms, OurSession& ours, int rounds, double ticks_per_ns) {
  struct Measured {
    std::array<std::vector<double>, kFieldCounts.size()> ticks, ratio;
  };
  std::vector<Measured> measured(arms.size());
  std::vector<double> bare, empty;
  std::mt19937 random(1);
  std::vector<size_t> order(arms.size() * kFieldCounts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    bare.push_back(ticks_each(bare_reads));
    empty.push_back(ticks_each(empty_loop));
    for (const size_t at : order) {
      const size_t arm = at / kFieldCounts.size(), fields = at % kFieldCounts.size();
      const double reads = ticks_each(bare_reads);
      const double ticks = ticks_each(arms[arm].run[fields]);
      measured[arm].ticks[fields].push_back(ticks);
      measured[arm].ratio[fields].push_back(ticks / reads);
      ours.drain();
      if (arms[arm].lttng) std::this_thread::sleep_for(5ms);
    }
  }
  std::printf("\n## Batches of %lu events, %d rounds: ns an event (ratio to a bare counter read)\n\n", kBatch, rounds);
  std::printf("bare counter read %.1f ns, empty loop %.2f ns\n\n", median(bare) / ticks_per_ns,
              median(empty) / ticks_per_ns);
  std::printf("| arm | 0 fields | 1 field | 3 fields | 8 fields |\n|---|---|---|---|---|\n");
  for (size_t arm = 0; arm < arms.size(); ++arm) {
    std::printf("| %s |", arms[arm].name);
    for (size_t fields = 0; fields < kFieldCounts.size(); ++fields)
      std::printf(" %.2f (%.2f) |", median(measured[arm].ticks[fields]) / ticks_per_ns,
                  median(measured[arm].ratio[fields]));
    std::printf("\n");
  }
}

std::uint64_t one(Arm::Run run) {
  const std::uint64_t begin = maxlat_counter_fenced();
  run(1);
  const std::uint64_t end = maxlat_counter_ordered();
  asm volatile("lfence" ::: "memory");
  return end - begin;
}

void print_quantiles(const char* name, std::vector<std::uint64_t>& ticks, double ticks_per_ns) {
  std::sort(ticks.begin(), ticks.end());
  const auto at = [&](double q) {
    return static_cast<double>(
               ticks[std::min(ticks.size() - 1, static_cast<size_t>(q * static_cast<double>(ticks.size())))]) /
           ticks_per_ns;
  };
  std::printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f |\n", name, at(0.5), at(0.99), at(0.999), at(0.9999), at(1));
}

constexpr const char* kQuantileHead = "| arm | p50 | p99 | p99.9 | p99.99 | max |\n|---|---|---|---|---|---|\n";

void singles(std::vector<Arm> arms, OurSession& ours, std::uint64_t samples, double ticks_per_ns) {
  arms.insert(arms.begin(), Arm{"harness alone", {empty_loop, empty_loop, empty_loop, empty_loop}});
  std::vector<std::vector<std::uint64_t>> ticks(arms.size());
  for (auto& each : ticks) each.reserve(samples);
  std::mt19937 random(2);
  std::vector<size_t> order(arms.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::uint64_t done = 0; done < samples; done += 256) {
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t arm : order) {
      for (int i = 0; i < 16; ++i) one(arms[arm].with_three_fields());  // comes back into the caches
      for (int i = 0; i < 256; ++i) ticks[arm].push_back(one(arms[arm].with_three_fields()));
    }
    ours.drain();
  }
  std::printf("\n## One event of 3 fields, %lu samples: ns\n\n%s", samples, kQuantileHead);
  for (size_t arm = 0; arm < arms.size(); ++arm) print_quantiles(arms[arm].name, ticks[arm], ticks_per_ns);
}

void cold(std::vector<Arm> arms, OurSession& ours, std::uint64_t samples, double ticks_per_ns) {
  std::vector<std::uint8_t> flood(4u << 20);
  std::vector<std::vector<std::uint64_t>> ticks(arms.size());
  for (std::uint64_t done = 0; done < samples; ++done) {
    for (size_t arm = 0; arm < arms.size(); ++arm) {
      std::this_thread::sleep_for(1ms);
      for (size_t i = 0; i < flood.size(); i += 64) flood[i] = static_cast<std::uint8_t>(flood[i] + 1);
      ticks[arm].push_back(one(arms[arm].with_three_fields()));
    }
    if (done % 64 == 0) ours.drain();
  }
  std::printf("\n## Cold: one event of 3 fields a millisecond, 4 MiB touched before, %lu samples: ns\n\n%s", samples,
              kQuantileHead);
  for (size_t arm = 0; arm < arms.size(); ++arm) print_quantiles(arms[arm].name, ticks[arm], ticks_per_ns);
}

void first_events(const std::vector<Arm>& arms, OurSession& ours, int threads, double ticks_per_ns) {
  std::printf("\n## First event of a new thread (prepare_thread() before it), %d threads: ns\n\n%s", threads,
              kQuantileHead);
  for (const Arm& arm : arms) {
    std::vector<std::uint64_t> ticks;
    for (int i = 0; i < threads; ++i) {
      std::thread([&] {
        trace::prepare_thread();
        one(empty_loop);
        ticks.push_back(one(arm.with_three_fields()));
      }).join();
      ours.drain();
    }
    print_quantiles(arm.name, ticks, ticks_per_ns);
  }
}

void threads(const std::vector<Arm>& arms, OurSession& ours, const std::vector<int>& cpus, int rounds) {
  std::printf(
      "\n## Threads, each on its CPU: events a microsecond, median of %d rounds\n\n| arm | 1 thread | %zu threads "
      "|\n|---|---|---|\n",
      rounds, cpus.size());
  for (const Arm& arm : arms) {
    std::array<std::vector<double>, 2> rate;
    for (int round = 0; round < rounds; ++round)
      for (const size_t all : {0u, 1u}) {
        const size_t count = all == 1 ? cpus.size() : 1;
        std::vector<std::thread> running;
        std::vector<double> each(count);
        for (size_t i = 0; i < count; ++i)
          running.emplace_back([&, i] {
            pin(cpus[i]);
            trace::prepare_thread();
            arm.with_three_fields()(1000);
            const auto begin = now();
            arm.with_three_fields()(kBatch);
            each[i] = kBatch * 1e3 / static_cast<double>((now() - begin).count());
          });
        for (auto& thread : running) thread.join();
        double sum = 0;
        for (const double one_rate : each) sum += one_rate;
        rate[all].push_back(sum);
        ours.drain();
        if (arm.lttng) std::this_thread::sleep_for(5ms);
      }
    std::printf("| %s | %.1f | %.1f |\n", arm.name, median(rate[0]), median(rate[1]));
  }
}

// Half a second of 3-field events at a given rate, evenly in groups of 50, with the consumer on the other CPUs.
// RETURNS: events tried.
std::uint64_t at_rate(Arm::Run run, double events_a_tick, double ticks_per_ns) {
  const std::uint64_t begin = maxlat_counter_fenced(), end = begin + static_cast<std::uint64_t>(0.5e9 * ticks_per_ns);
  std::uint64_t done = 0;
  for (std::uint64_t time = begin; time < end; time = maxlat_counter_fenced())
    for (const auto due = static_cast<std::uint64_t>(static_cast<double>(time - begin) * events_a_tick); done < due;
         done += 50)
      run(50);
  return done;
}

// Prints "TRIED LOST"; what LTTng lost, its own tools tell.
int run_at_rate(const std::string& folder, const std::string& who, double events_a_us, const std::vector<int>& cpus) {
  const double ticks_per_ns = base::calibrate().ticks_per_ns;
  const double events_a_tick = events_a_us / 1e3 / ticks_per_ns;
  if (who != "maxlat") {
    pin(cpus.front());
    for (const Arm& arm : lttng_arms())
      if ((std::string(arm.name).find("timer") != std::string::npos) == (who == "timer"))
        std::printf("%lu 0\n", at_rate(arm.with_three_fields(), events_a_tick, ticks_per_ns));
    return 0;
  }
  auto session = value_of(trace::Session::create({.name = "flat"}));
  check(session.add_channel({.name = "flat", .sub_buffers = 32}));
  check(session.enable("flat", "thread_discard:*"));
  check(session.start());
  auto descriptors = value_of(session.descriptors());
  pin(cpus.back());  // the recorder's thread inherits it
  trace::RecorderThread thread;
  const auto id =
      thread.add(value_of(trace::Recorder::attach(descriptors.memory, {.directory = folder})), descriptors.wakeup);
  pin(cpus.front());
  trace::prepare_thread();
  const std::uint64_t tried = at_rate(maxlat_arms()[1].with_three_fields(), events_a_tick, ticks_per_ns);
  check(session.stop());
  std::uint64_t lost = 0;
  for (const auto& books : thread.finish(id, trace::RecordingEnd::stopped).channels) lost += books.lost();
  std::printf("%lu %lu\n", tried, lost);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "";
  if (argc == 5 && std::string(argv[2]) == "rate")
    return run_at_rate(folder, argv[3], std::atof(argv[4]), allowed_cpus());
  const int scale = argc > 2 ? std::atoi(argv[2]) : 10;
  if (folder.empty()) fail("FOLDER [SCALE]: started by tracer_peers.py");
  const std::vector<int> cpus = allowed_cpus();
  pin(cpus.front());
  const double ticks_per_ns = base::calibrate().ticks_per_ns;
  std::vector<Arm> arms = maxlat_arms();
  const std::vector<Arm> peers = lttng_arms();
  arms.insert(arms.end(), peers.begin(), peers.end());
  OurSession ours(folder);
  trace::prepare_thread();
  std::printf("# %.4f ticks a ns, %zu CPUs, LTTng-UST %s\n", ticks_per_ns, cpus.size(),
              peers.empty() ? "not built in" : "beside");

  batches(arms, ours, 4 * scale, ticks_per_ns);
  singles(arms, ours, 25'600u * static_cast<unsigned>(scale), ticks_per_ns);
  cold(arms, ours, 20u * static_cast<unsigned>(scale), ticks_per_ns);
  first_events(arms, ours, 4 * scale, ticks_per_ns);
  threads(arms, ours, cpus, scale);
  std::fflush(stdout);
  ours.finish();
  return 0;
}
