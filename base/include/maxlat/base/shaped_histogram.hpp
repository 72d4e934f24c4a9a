// SPDX-License-Identifier: MIT
//
// The C++ face of shaped_histogram.h: histograms of any shape in memory that is borrowed. One of the standard shape on
// the heap: histogram.hpp.
//
//   auto histogram = ShapedHistogram::make(memory, {.sub_bits = 5, .range_bits = 32});   the writer
//   histogram->record(value, time);
//   auto view = HistogramView::find(memory);                                            a reader, whoever wrote it
//   view->quantile(0.999);
#pragma once

#include <maxlat/base/shaped_histogram.h>

#include <cstddef>
#include <maxlat/base/result.hpp>
#include <span>

namespace maxlat::base {

// The questions to a histogram; it may grow meanwhile. Lives no longer than the memory.
class HistogramView {
 public:
  // ERRORS: the memory is not aligned, or there is no histogram that fits in it.
  static Result<HistogramView> find(std::span<const std::byte> memory);
  explicit HistogramView(const maxlat_histogram& standard)
      : HistogramView(standard.head, maxlat_histogram_standard_shape()) {}

  const maxlat_histogram_head& head() const { return *head_; }
  maxlat_histogram_shape shape() const { return shape_; }

  uint64_t total() const { return maxlat_shaped_total(head_, shape_); }
  uint64_t min() const { return total() == 0 ? 0 : MAXLAT_LOAD(&head_->min); }
  uint64_t max() const { return MAXLAT_LOAD(&head_->max); }
  double mean() const;
  double variance() const;  // of the population, from exact integer sums
  // The smallest recorded value v with at least q * total values <= v (to the bucket's upper edge: overstated by less
  // than 2^-sub_bits of it).
  // REQUIRES: 0 <= q <= 1.
  uint64_t quantile(double q) const;

 private:
  friend class ShapedHistogram;
  HistogramView(const maxlat_histogram_head& head, maxlat_histogram_shape shape) : head_(&head), shape_(shape) {}

  const maxlat_histogram_head* head_;
  maxlat_histogram_shape shape_;
};

// The writer's. Lives no longer than the memory.
class ShapedHistogram {
 public:
  // Makes an empty one. ERRORS: a shape that is none, memory that is not aligned or too small; nothing is written then.
  static Result<ShapedHistogram> make(std::span<std::byte> memory, maxlat_histogram_shape shape);

  maxlat_histogram_head& head() { return *head_; }
  maxlat_histogram_shape shape() const { return shape_; }
  HistogramView view() const { return {*head_, shape_}; }

  void record(uint64_t value, uint64_t time = 0) { maxlat_shaped_record(head_, shape_, value, time); }
  // ERRORS: another shape; nothing is changed then.
  Status merge(const HistogramView& other);

 private:
  ShapedHistogram(maxlat_histogram_head& head, maxlat_histogram_shape shape) : head_(&head), shape_(shape) {}

  maxlat_histogram_head* head_;
  maxlat_histogram_shape shape_;
};

}  // namespace maxlat::base
