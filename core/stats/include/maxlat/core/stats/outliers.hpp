// SPDX-License-Identifier: MIT
//
// The K largest samples of a measurement with the time of each: preallocated, no allocation and no lock when recording.
//
// floor() is the value a sample must exceed to get in: 0 until K are kept, then the smallest kept. A measured loop
// compares with the floor (one predicted branch) and calls offer() only above it.
//
// THREADS: one writer. Readers wait for the writer's end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maxlat::core {

struct OutlierSample {
  uint64_t ticks = 0;  // the latency
  uint64_t time = 0;   // counter value at its end
};

class Outliers {
 public:
  explicit Outliers(size_t capacity);  // allocates and touches

  uint64_t floor() const { return floor_; }
  void offer(uint64_t ticks, uint64_t time);  // O(K) when it gets in (K is tens)
  std::vector<OutlierSample> largest_first() const;
  size_t capacity() const { return capacity_; }

 private:
  size_t capacity_;
  uint64_t floor_ = 0;
  std::vector<OutlierSample> kept_;
};

}  // namespace maxlat::core
