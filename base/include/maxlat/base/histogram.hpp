// SPDX-License-Identifier: MIT
//
// The C++ interface of histogram.h: ownership. HistogramView has the queries.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <maxlat/base/histogram.h>
#include <maxlat/base/shaped_histogram.hpp>

namespace maxlat::base {

// Owns one histogram on the heap, page-aligned and touched, so that recording into it takes no page fault; or has one
// in memory that is somebody else's. A copy is always an own one.
class Histogram {
 public:
  Histogram();
  // REQUIRES: it is valid, and the memory lives as long.
  static Histogram in(maxlat_histogram& memory);
  Histogram(const Histogram& other);
  Histogram& operator=(const Histogram& other);
  Histogram(Histogram&&) noexcept = default;
  Histogram& operator=(Histogram&&) noexcept = default;

  maxlat_histogram& raw() { return *storage_; }
  const maxlat_histogram& raw() const { return *storage_; }

  void record(uint64_t value, uint64_t time = 0) { maxlat_histogram_record(storage_.get(), value, time); }
  void merge(const Histogram& other) { maxlat_histogram_merge(storage_.get(), other.storage_.get()); }

  HistogramView view() const { return HistogramView(*storage_); }
  uint64_t total() const { return view().total(); }
  uint64_t min() const { return view().min(); }
  uint64_t max() const { return view().max(); }
  double mean() const { return view().mean(); }
  double variance() const { return view().variance(); }
  uint64_t quantile(double q) const { return view().quantile(q); }

  // A copy of a histogram that its writer goes on filling, for a look at a run under way. The writer keeps the moments
  // in its registers, so here they are the buckets' own: min and max to a bucket, sums from bucket middles (0.1 %).
  // `max`, when not 0, is a maximum that is known better. Sum of buckets + overflows is total() here too, by
  // construction.
  static Histogram copy_of_growing(const maxlat_histogram& growing, uint64_t max = 0);

 private:
  struct Free {
    bool is_own;
    constexpr Free() : is_own(true) {}
    constexpr explicit Free(bool own) : is_own(own) {}
    void operator()(maxlat_histogram* h) const;
  };
  explicit Histogram(std::unique_ptr<maxlat_histogram, Free> storage) : storage_(std::move(storage)) {}

  std::unique_ptr<maxlat_histogram, Free> storage_;
};

}  // namespace maxlat::base
