// SPDX-License-Identifier: MIT
//
// What the histogram costs: an insert, with all moments and with the bucket alone; the merge of 64 CPUs (limit 10 ms);
// a quantile.
#include <benchmark/benchmark.h>

#include <maxlat/base/histogram.hpp>
#include <random>
#include <vector>

namespace {

using maxlat::base::Histogram;

// As a loop on a noisy machine sees them: mostly two neighbouring values, one in a thousand anywhere up to 100 ms.
std::vector<uint64_t> gaps() {
  std::mt19937_64 random(1);
  std::vector<uint64_t> values(1 << 16);
  for (uint64_t& value : values) value = random() % 1000 == 0 ? random() >> (36 + random() % 20) : 50 + random() % 3;
  return values;
}

void insert_with_moments(benchmark::State& state) {
  const std::vector<uint64_t> values = gaps();
  Histogram h;
  size_t i = 0;
  for (auto _ : state) h.record(values[i++ % values.size()]);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(insert_with_moments);

void insert_bucket_only(benchmark::State& state) {
  const std::vector<uint64_t> values = gaps();
  Histogram h;
  size_t i = 0;
  for (auto _ : state) maxlat_histogram_count_in_range(&h.raw(), values[i++ % values.size()]);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(insert_bucket_only);

void merge_64_cpus(benchmark::State& state) {
  std::vector<Histogram> cpus(64);
  std::mt19937_64 random(2);
  for (Histogram& cpu : cpus)
    for (int i = 0; i < 100'000; ++i) cpu.record(random() >> (24 + random() % 40));
  for (auto _ : state) {
    Histogram all;
    for (const Histogram& cpu : cpus) all.merge(cpu);
    benchmark::DoNotOptimize(all.raw().sum);
  }
}
BENCHMARK(merge_64_cpus)->Unit(benchmark::kMillisecond);

void quantile(benchmark::State& state) {
  Histogram h;
  for (uint64_t value : gaps()) h.record(value);
  for (auto _ : state) benchmark::DoNotOptimize(h.quantile(0.999999));
}
BENCHMARK(quantile)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
