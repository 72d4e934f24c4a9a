// SPDX-License-Identifier: MIT
#include "contest.hpp"

#include <maxlat/base/counter.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <maxlat/trace/thread.hpp>
#include <numeric>
#include <random>
#include <thread>

#include "harness.hpp"

namespace maxlat::bench {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kInTurn = 256;                  // singles of one arm before the next has its turn
constexpr unsigned kColdInTurn = 40;               // the same of cold ones: each arm's own rate is 1 kHz then
constexpr std::uint32_t kThreeFields = 2;          // index in kFieldCounts
constexpr std::size_t kFloodOfOthers = 64u << 20;  // twice the largest L3 of the machines this was run on
constexpr auto kLttngDrains = 5ms;
constexpr double kOfAColdEvent_ns = 3000;  // what a cold event of LTTng-UST takes

// As long as that, without a tracer and without memory: what of the cold tail is the machine's.
std::uint64_t wait_ticks = 0;
void wait(std::uint64_t events) {
  const std::uint64_t begin = maxlat_counter_fenced();
  while (maxlat_counter_fenced() - begin < events * wait_ticks) continue;
}

void add(std::vector<Contestant>& all, const Arm& arm, const std::function<void()>& drain) {
  Contestant one;
  one.name = arm.name;
  one.lttng = arm.lttng;
  one.with_three_fields = arm.with_three_fields();
  one.perform = [arm, drain](std::uint32_t fields, Work work, std::uint32_t samples) {
    return perform(arm.run[fields], work, samples, drain);
  };
  all.push_back(std::move(one));
}

std::vector<std::size_t> numbers_to(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

void print(const std::string& name, const Quantiles& ns) {
  std::printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f |\n", name.c_str(), ns.p50_ns, ns.p99_ns, ns.p999_ns,
              ns.p9999_ns, ns.max_ns);
}

void print_quantile_head(const char* title, std::size_t samples) {
  std::printf("\n## %s, %zu samples: ns\n\n| arm | p50 | p99 | p99.9 | p99.99 | max |\n|---|---|---|---|---|---|\n",
              title, samples);
}

std::string cell(const std::vector<Batch>& batches) {
  char text[32] = "-";
  if (!batches.empty())
    std::snprintf(text, sizeof text, "%.2f (%.2f)", median_ns(batches), median_to_bare_read(batches));
  return text;
}

double median_of(const std::vector<Batch>& batches, double (*value)(const Batch&)) {
  std::vector<double> values(batches.size());
  std::transform(batches.begin(), batches.end(), values.begin(), value);
  return median(std::move(values));
}

// What `all` batches say of the machine, then a row for each arm: those that had the core alone, and with three fields
// all.
void print_batches(Contest& contest, const std::vector<Batch>& all, unsigned rounds) {
  contest.empty_loop_ns = std::ranges::min(all, {}, &Batch::loop_ns).loop_ns;
  const std::vector<Batch> alone = alone_of(contest, all);
  std::printf("\n## Batches of %lu events, %u rounds: ns an event (ratio to a bare counter read)\n\n", kBatch, rounds);
  std::printf("bare counter read %.1f ns, empty loop %.2f ns; %.0f %% of the batches had the core for themselves\n\n",
              median_of(alone, [](const Batch& batch) { return batch.reads_ns; }), contest.empty_loop_ns,
              100.0 * static_cast<double>(alone.size()) / static_cast<double>(all.size()));
  std::printf(
      "| arm | 0 fields | 1 field | 3 fields | 8 fields | 3 fields, core shared or not |\n|---|---|---|---|---|---|\n");
  for (const Contestant& arm : contest.arms) {
    if (arm.name == kHarness) continue;
    std::printf("| %s |", arm.name.c_str());
    for (const auto& batches : arm.batches) std::printf(" %s |", cell(alone_of(contest, batches)).c_str());
    std::printf(" %s |\n", cell(arm.batches[kThreeFields]).c_str());
  }
}

// Reads and writes 64 MiB again and again on another CPU while it lives: what both CPUs cache in common is not ours.
class Flooder {
 public:
  explicit Flooder(int cpu)
      : thread_([this, cpu] {
          pin(cpu);
          std::vector<std::uint64_t> flood(kFloodOfOthers / sizeof(std::uint64_t));
          while (!end_.load(std::memory_order_relaxed))  // relaxed: nothing is handed over with it
            for (std::size_t i = 0; i < flood.size(); i += 8) ++flood[i];
        }) {}
  ~Flooder() {
    end_.store(true, std::memory_order_relaxed);
    thread_.join();
  }

 private:
  std::atomic<bool> end_{false};
  std::thread thread_;
};

double events_a_us(Arm::Run run, const std::vector<int>& cpus) {
  std::vector<std::thread> running;
  std::vector<double> each(cpus.size());
  for (std::size_t i = 0; i < cpus.size(); ++i)
    running.emplace_back([&, i] {
      pin(cpus[i]);
      trace::prepare_thread();
      run(1000);
      const auto begin = now();
      run(kBatch);
      each[i] = kBatch * 1e3 / static_cast<double>((now() - begin).count());
    });
  for (std::thread& thread : running) thread.join();
  return std::accumulate(each.begin(), each.end(), 0.0);
}

}  // namespace

Quantiles quantiles_of(Ticks ticks, double ticks_per_ns) {
  std::sort(ticks.begin(), ticks.end());
  const auto at = [&](double q) {
    const auto place = static_cast<std::size_t>(q * static_cast<double>(ticks.size()));
    return static_cast<double>(ticks[std::min(ticks.size() - 1, place)]) / ticks_per_ns;
  };
  return {ticks.size(), at(0.5), at(0.99), at(0.999), at(0.9999), at(1)};
}

std::vector<Contestant> contestants(const std::function<void()>& drain, SecondProcess* second) {
  std::vector<Contestant> all;
  add(all, {kHarness, {empty_loop, empty_loop, empty_loop, empty_loop}}, drain);
  for (const Arm& arm : maxlat_arms()) add(all, arm, drain);
  const std::vector<Arm> peers = lttng_arms();
  for (const Arm& arm : peers) add(all, arm, drain);
  for (std::uint32_t i = 0; second != nullptr && i < peers.size(); ++i) {
    Contestant one;
    one.name = std::string(peers[i].name) + kWithTsc;
    one.lttng = true;
    one.perform = [second, i](std::uint32_t fields, Work work, std::uint32_t samples) {
      return second->perform(i, fields, work, samples);
    };
    all.push_back(std::move(one));
  }
  return all;
}

const Contestant* find(const Contest& contest, const std::string& name) {
  const auto found =
      std::find_if(contest.arms.begin(), contest.arms.end(), [&](const Contestant& arm) { return arm.name == name; });
  return found == contest.arms.end() ? nullptr : &*found;
}

std::vector<Batch> alone_of(const Contest& contest, std::vector<Batch> batches) {
  std::erase_if(batches, [&](const Batch& batch) { return !contest.alone(batch); });
  return batches;
}

double median_ns(const std::vector<Batch>& batches) {
  return median_of(batches, [](const Batch& batch) { return batch.events_ns; });
}
double median_to_bare_read(const std::vector<Batch>& batches) {
  return median_of(batches, [](const Batch& batch) { return batch.to_bare_read(); });
}

void batches(Contest& contest, unsigned rounds) {
  std::mt19937 random(1);
  const double batch_ns = kBatch * contest.ticks_per_ns;
  std::vector<Batch> all;
  std::vector<std::size_t> order = numbers_to(contest.arms.size() * kFieldCounts.size());
  for (unsigned round = 0; round < rounds; ++round) {
    if (round != 0 && round % kRoundsAPlace == 0) contest.renew();
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t at : order) {
      Contestant& arm = contest.arms[at / kFieldCounts.size()];
      const std::size_t fields = at % kFieldCounts.size();
      const Ticks ticks = arm.perform(static_cast<std::uint32_t>(fields), Work::batch, 0);
      const auto each_ns = [&](std::size_t part) { return static_cast<double>(ticks[part]) / batch_ns; };
      all.push_back({each_ns(0), each_ns(1), each_ns(2)});
      arm.batches[fields].push_back(all.back());
      contest.drain();
      if (arm.lttng) std::this_thread::sleep_for(kLttngDrains);
    }
  }
  print_batches(contest, all, rounds);
}

void singles(Contest& contest, unsigned samples) {
  std::vector<Ticks> ticks(contest.arms.size());
  std::mt19937 random(2);
  std::vector<std::size_t> order = numbers_to(contest.arms.size());
  for (unsigned done = 0; done < samples; done += kInTurn) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t arm : order) {
      const Ticks some = contest.arms[arm].perform(kThreeFields, Work::single, kInTurn);
      ticks[arm].insert(ticks[arm].end(), some.begin(), some.end());
    }
    contest.drain();
  }
  print_quantile_head("One event of 3 fields", ticks.front().size());
  for (std::size_t arm = 0; arm < ticks.size(); ++arm) {
    contest.arms[arm].single = quantiles_of(std::move(ticks[arm]), contest.ticks_per_ns);
    print(contest.arms[arm].name, *contest.arms[arm].single);
  }
}

void cold(Contest& contest, unsigned samples) {
  wait_ticks = static_cast<std::uint64_t>(kOfAColdEvent_ns * contest.ticks_per_ns);
  std::vector<Contestant> waiting;
  add(waiting, Arm{"3 us of waiting, no tracer", {wait, wait, wait, wait}}, contest.drain);
  std::vector<Contestant*> arms{&waiting.front()};
  for (Contestant& arm : contest.arms)
    if ((arm.lttng && !arm.name.ends_with(kWithTsc)) || arm.name == kHarness || arm.name == kThread || arm.name == kCpu)
      arms.push_back(&arm);
  std::vector<Ticks> ticks(arms.size());
  {
    std::optional<Flooder> beside;
    if (contest.cpus.size() > 1) beside.emplace(contest.cpus.back());
    std::mt19937 random(3);
    std::vector<std::size_t> order = numbers_to(arms.size());
    for (unsigned done = 0; done < samples; done += kColdInTurn) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t arm : order) {
        const Ticks some = arms[arm]->perform(kThreeFields, Work::cold, kColdInTurn);
        ticks[arm].insert(ticks[arm].end(), some.begin(), some.end());
      }
      contest.drain();
    }
  }
  print_quantile_head(
      contest.cpus.size() > 1
          ? "Cold: one event of 3 fields a millisecond, 4 MiB touched before it, the other CPU floods 64 MiB"
          : "Cold: one event of 3 fields a millisecond, 4 MiB touched before it",
      samples);
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    arms[arm]->cold = quantiles_of(std::move(ticks[arm]), contest.ticks_per_ns);
    print(arms[arm]->name, *arms[arm]->cold);
  }
}

void first_events(Contest& contest, unsigned threads) {
  std::vector<Ticks> ticks(contest.arms.size());
  std::mt19937 random(4);
  std::vector<std::size_t> order = numbers_to(contest.arms.size());
  for (unsigned done = 0; done < threads; ++done) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t arm : order)
      ticks[arm].push_back(contest.arms[arm].perform(kThreeFields, Work::first, 1)[0]);
  }
  print_quantile_head("First event of a new thread after prepare_thread(), where another has just traced", threads);
  for (std::size_t arm = 0; arm < ticks.size(); ++arm) {
    contest.arms[arm].first = quantiles_of(std::move(ticks[arm]), contest.ticks_per_ns);
    print(contest.arms[arm].name, *contest.arms[arm].first);
  }
}

void threads(Contest& contest, unsigned rounds) {
  std::printf("\n## Threads, each on its CPU: events a microsecond, median of %u rounds\n\n", rounds);
  std::printf("| arm | 1 thread | %zu threads |\n|---|---|---|\n", contest.cpus.size());
  for (Contestant& arm : contest.arms) {
    if (arm.with_three_fields == nullptr || arm.name == kHarness) continue;
    std::vector<double> one, all;
    for (unsigned round = 0; round < rounds; ++round)
      for (auto* rates : {&one, &all}) {
        rates->push_back(
            events_a_us(arm.with_three_fields, rates == &one ? std::vector<int>{contest.cpus.front()} : contest.cpus));
        contest.drain();
        if (arm.lttng) std::this_thread::sleep_for(kLttngDrains);
      }
    arm.one_thread_us = median(one);
    arm.all_threads_us = median(all);
    std::printf("| %s | %.1f | %.1f |\n", arm.name.c_str(), arm.one_thread_us, arm.all_threads_us);
  }
}

}  // namespace maxlat::bench
