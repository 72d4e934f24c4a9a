// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <maxlat/base/histogram.hpp>
#include <new>

namespace maxlat::base {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kStorageBytes = (sizeof(maxlat_histogram) + kPage - 1) / kPage * kPage;

static_assert(sizeof(maxlat_histogram) < 1024 * 1024, "the promise: at most 1 MiB per CPU at full range");

maxlat_histogram* allocate() {
  void* memory = std::aligned_alloc(kPage, kStorageBytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<maxlat_histogram*>(memory);
}

maxlat_u128 sum_of_squares(const maxlat_histogram& h) {
  return (static_cast<maxlat_u128>(h.sum_sq_high) << 64) | h.sum_sq_low;
}

}  // namespace

void Histogram::Free::operator()(maxlat_histogram* h) const {
  std::free(h);
}

Histogram::Histogram() : storage_(allocate()) {
  maxlat_histogram_init(storage_.get());
}

Histogram::Histogram(const Histogram& other) : storage_(allocate()) {
  std::memcpy(storage_.get(), other.storage_.get(), sizeof(maxlat_histogram));
}

Histogram& Histogram::operator=(const Histogram& other) {
  if (this != &other) std::memcpy(storage_.get(), other.storage_.get(), sizeof(maxlat_histogram));
  return *this;
}

Histogram Histogram::copy_of_growing(const maxlat_histogram& growing, uint64_t max) {
  Histogram copy;
  maxlat_histogram& into = copy.raw();
  maxlat_moments moments = MAXLAT_MOMENTS_EMPTY;
  uint64_t last_low = 0;
  for (uint32_t i = 0; i < MAXLAT_HISTOGRAM_BUCKETS; ++i) {
    const uint64_t count = MAXLAT_LOAD(&growing.bucket[i]);
    if (count == 0) continue;
    into.bucket[i] = count;
    const uint64_t low = maxlat_histogram_low(i), high = maxlat_histogram_high(i);
    const uint64_t middle = low + (high - low) / 2;
    moments.min = std::min(moments.min, low);
    moments.max = high;
    last_low = low;
    moments.sum += middle * count;
    moments.sum_sq += static_cast<maxlat_u128>(middle) * middle * count;
  }
  // The loop tells its maximum a moment after it counted it.
  if (max != 0) moments.max = std::clamp(max, last_low, moments.max);
  maxlat_histogram_add_moments(&into, &moments);
  const uint64_t overflows = MAXLAT_LOAD(&growing.overflow_count);
  for (uint64_t i = 0; i < overflows; ++i) {
    const auto& kept = growing.overflow[std::min<uint64_t>(i, MAXLAT_HISTOGRAM_OVERFLOWS - 1)];
    const uint64_t value = MAXLAT_LOAD(&kept.value);
    const maxlat_moments one = {value, value, value, static_cast<maxlat_u128>(value) * value};
    maxlat_histogram_count_overflow(&into, value, MAXLAT_LOAD(&kept.time));
    maxlat_histogram_add_moments(&into, &one);
  }
  return copy;
}

double Histogram::mean() const {
  const uint64_t count = total();
  return count == 0 ? 0
                    : static_cast<double>(static_cast<long double>(storage_->sum) / static_cast<long double>(count));
}

// The textbook E[x^2] - E[x]^2 cancels away every digit when the deviation is small against the mean, and a long run of
// equal gaps is just that. So shift by the integer part q of the mean first, in integers modulo 2^128, where nothing is
// lost: sum (x - q)^2 = sum x^2 - 2 q sum x + n q^2, which is itself below 2^128. Only then divide.
double Histogram::variance() const {
  const uint64_t count = total();
  if (count == 0) return 0;
  const maxlat_u128 sum = storage_->sum;
  const maxlat_u128 q = sum / count;
  const maxlat_u128 squares = sum_of_squares(*storage_) - 2 * q * sum + q * q * count;
  const long double fraction = static_cast<long double>(sum - q * count) / static_cast<long double>(count);
  const long double variance =
      static_cast<long double>(squares) / static_cast<long double>(count) - fraction * fraction;
  return static_cast<double>(std::max(variance, 0.0L));
}

uint64_t Histogram::quantile(double q) const {
  const uint64_t count = total();
  const long double exact = static_cast<long double>(q) * static_cast<long double>(count);
  // A level such as 0.9 is not a binary fraction: 0.9 * 10 must ask for the 9th value, not for the 10th.
  const long double rounded = std::round(exact);
  const bool whole = std::fabs(exact - rounded) <= exact * 4e-16L;
  const auto rank = static_cast<uint64_t>(whole ? rounded : std::ceil(exact));
  return maxlat_histogram_value_at_rank(storage_.get(), std::clamp<uint64_t>(rank, count == 0 ? 0 : 1, count));
}

}  // namespace maxlat::base
