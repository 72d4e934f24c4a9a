// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <maxlat/base/shaped_histogram.hpp>

namespace maxlat::base {
namespace {

maxlat_u128 sum_of_squares(const maxlat_histogram_head& head) {
  return (static_cast<maxlat_u128>(MAXLAT_LOAD(&head.sum_sq_high)) << 64) | MAXLAT_LOAD(&head.sum_sq_low);
}

}  // namespace

Result<HistogramView> HistogramView::find(std::span<const std::byte> memory) {
  maxlat_histogram_shape shape;
  const maxlat_histogram_head* head = maxlat_shaped_find(memory.data(), memory.size(), &shape);
  if (head == nullptr) return Error{"no histogram, one that is cut off, or one that is not aligned"};
  return HistogramView(*head, shape);
}

Result<ShapedHistogram> ShapedHistogram::make(std::span<std::byte> memory, maxlat_histogram_shape shape) {
  const size_t bytes = maxlat_shaped_bytes(shape);
  if (bytes == 0) {
    return Error{
        "no shape of a histogram: " + std::to_string(shape.sub_bits) + " sub-bits of " +
            std::to_string(shape.range_bits) + " bits of range",
        "at most " + std::to_string(MAXLAT_SHAPE_MAX_SUB_BITS) + " sub-bits, and no more than bits of range: 1 to 64"};
  }
  maxlat_histogram_head* head = maxlat_shaped_make(memory.data(), memory.size(), shape);
  if (head == nullptr) {
    const auto aside = reinterpret_cast<uintptr_t>(memory.data()) % MAXLAT_SHAPED_ALIGNMENT;
    return Error{"the histogram needs " + std::to_string(bytes) + " bytes from a multiple of " +
                 std::to_string(MAXLAT_SHAPED_ALIGNMENT) + " on; there are " + std::to_string(memory.size()) + ", " +
                 std::to_string(aside) + " behind one"};
  }
  return ShapedHistogram(*head, shape);
}

Status ShapedHistogram::merge(const HistogramView& other) {
  if (maxlat_shaped_merge(head_, shape_, other.head_, other.shape_) != 0) return {};
  const auto text = [](maxlat_histogram_shape shape) {
    return std::to_string(shape.sub_bits) + " sub-bits of " + std::to_string(shape.range_bits);
  };
  return Error{"histograms of two shapes do not merge: " + text(shape_) + ", " + text(other.shape_)};
}

double HistogramView::mean() const {
  const uint64_t count = total();
  return count == 0 ? 0
                    : static_cast<double>(static_cast<long double>(MAXLAT_LOAD(&head_->sum)) /
                                          static_cast<long double>(count));
}

// The textbook E[x^2] - E[x]^2 cancels away every digit when the deviation is small against the mean, and a long run of
// equal gaps is just that. So shift by the integer part q of the mean first, in integers modulo 2^128, where nothing is
// lost: sum (x - q)^2 = sum x^2 - 2 q sum x + n q^2, which is itself below 2^128. Only then divide.
double HistogramView::variance() const {
  const uint64_t count = total();
  if (count == 0) return 0;
  const maxlat_u128 sum = MAXLAT_LOAD(&head_->sum);
  const maxlat_u128 q = sum / count;
  const maxlat_u128 squares = sum_of_squares(*head_) - 2 * q * sum + q * q * count;
  const long double fraction = static_cast<long double>(sum - q * count) / static_cast<long double>(count);
  const long double variance =
      static_cast<long double>(squares) / static_cast<long double>(count) - fraction * fraction;
  return static_cast<double>(std::max(variance, 0.0L));
}

uint64_t HistogramView::quantile(double q) const {
  const uint64_t count = total();
  const long double exact = static_cast<long double>(q) * static_cast<long double>(count);
  // A level such as 0.9 is not a binary fraction: 0.9 * 10 must ask for the 9th value, not for the 10th.
  const long double rounded = std::round(exact);
  const bool whole = std::fabs(exact - rounded) <= exact * 4e-16L;
  const auto rank = static_cast<uint64_t>(whole ? rounded : std::ceil(exact));
  return maxlat_shaped_value_at_rank(head_, shape_, std::clamp<uint64_t>(rank, count == 0 ? 0 : 1, count));
}

}  // namespace maxlat::base
