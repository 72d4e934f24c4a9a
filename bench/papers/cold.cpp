// SPDX-License-Identifier: MIT
#include "cold.hpp"

#include <maxlat/base/counter.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <maxlat/core/stats/statistics.hpp>
#include <string>

#include "rounds.hpp"

namespace maxlat::bench::papers {
namespace {

[[gnu::noinline]] void nothing(uint64_t turns) {
  keep(turns);
}

struct Range {
  uintptr_t begin = 0, end = 0;
};

// All that can be read, but what is the kernel's.
std::vector<Range> mapped() {
  std::vector<Range> ranges;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Range range;
    char readable = '-';
    if (line.find("[v") == line.npos &&
        std::sscanf(line.c_str(), "%lx-%lx %c", &range.begin, &range.end, &readable) == 3 && readable == 'r')
      ranges.push_back(range);
  }
  return ranges;
}

void flush(const std::vector<Range>& ranges) {
  for (const Range& range : ranges)
    for (uintptr_t line = range.begin; line < range.end; line += 64)
      asm volatile("clflush (%0)" : : "r"(line) : "memory");
  asm volatile("mfence" ::: "memory");
}

uint64_t one(void (*run)(uint64_t)) {
  const uint64_t begin = maxlat_counter_fenced();
  run(1);
  const uint64_t end = maxlat_counter_ordered();
  asm volatile("lfence" ::: "memory");
  return end - begin;
}

}  // namespace

std::vector<double> cold(void (*run)(uint64_t), unsigned samples, const base::CounterClock& clock) {
  const std::vector<Range> ranges = mapped();
  std::vector<double> ns;
  for (unsigned i = 0; i < samples; ++i) {
    flush(ranges);
    ns.push_back(clock.to_ns(static_cast<double>(one(run))));
  }
  std::sort(ns.begin(), ns.end());
  return ns;
}

double cold_harness_ns(unsigned samples, const base::CounterClock& clock) {
  return core::median(cold(nothing, samples, clock));
}

}  // namespace maxlat::bench::papers
