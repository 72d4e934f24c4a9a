// SPDX-License-Identifier: MIT
//
// The C++ face of histogram.h: ownership, and the questions that need floating point.
#pragma once

#include <cstdint>
#include <memory>

#include <maxlat/base/histogram.h>

namespace maxlat::base {

// Owns one histogram on the heap, page-aligned and touched, so that recording into it takes no page fault.
class Histogram {
 public:
  Histogram();
  Histogram(const Histogram& other);
  Histogram& operator=(const Histogram& other);
  Histogram(Histogram&&) noexcept = default;
  Histogram& operator=(Histogram&&) noexcept = default;

  maxlat_histogram& raw() { return *storage_; }
  const maxlat_histogram& raw() const { return *storage_; }

  void record(uint64_t value, uint64_t time = 0) { maxlat_histogram_record(storage_.get(), value, time); }
  void merge(const Histogram& other) { maxlat_histogram_merge(storage_.get(), other.storage_.get()); }

  uint64_t total() const { return maxlat_histogram_total(storage_.get()); }
  uint64_t min() const { return total() == 0 ? 0 : storage_->min; }
  uint64_t max() const { return storage_->max; }
  double mean() const;
  double variance() const;  // of the population, from exact integer sums
  // The smallest recorded value v with at least q * total values <= v (to the bucket's upper edge).
  // REQUIRES: 0 <= q <= 1.
  uint64_t quantile(double q) const;

  // A copy of a histogram that its writer goes on filling, for a look at a run under way. The writer keeps the moments
  // in its registers, so here they are the buckets' own: min and max to a bucket, sums from bucket middles (0.1 %).
  // `max`, when not 0, is a maximum that is known better. Sum of buckets + overflows is total() here too, by
  // construction.
  static Histogram copy_of_growing(const maxlat_histogram& growing, uint64_t max = 0);

 private:
  struct Free {
    void operator()(maxlat_histogram* h) const;
  };
  std::unique_ptr<maxlat_histogram, Free> storage_;
};

}  // namespace maxlat::base
