// SPDX-License-Identifier: MIT
//
// The books of one CPU: the delays of all its pairs that must preempt, and the largest of them with their times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/stats/outliers.hpp>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::scheduling {

struct Delay {
  core::OutlierSample sample;
  std::string pair;  // "SCHED_FIFO 95 over SCHED_FIFO 94"
};

struct DelayBooks {
  static constexpr size_t kKept = 20;

  // False: so many are as large.
  bool keep(Delay delay) {
    const auto smaller = std::find_if(largest.begin(), largest.end(), [&](const Delay& kept) {
      return kept.sample.ticks < delay.sample.ticks;
    });
    if (smaller == largest.end() && largest.size() == kKept) return false;
    largest.insert(smaller, std::move(delay));
    if (largest.size() > kKept) largest.pop_back();
    return true;
  }
  std::vector<core::OutlierSample> samples() const {
    std::vector<core::OutlierSample> all;
    for (const Delay& delay : largest) all.push_back(delay.sample);
    return all;
  }

  base::Histogram latencies;
  std::vector<Delay> largest;  // largest first
  uint64_t watched_ticks = 0;
};

}  // namespace maxlat::scheduling
