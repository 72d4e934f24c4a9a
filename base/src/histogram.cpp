// SPDX-License-Identifier: MIT
#include <algorithm>
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

}  // namespace

void Histogram::Free::operator()(maxlat_histogram* h) const {
  if (is_own) std::free(h);
}

Histogram Histogram::in(maxlat_histogram& memory) {
  return Histogram(std::unique_ptr<maxlat_histogram, Free>(&memory, Free{false}));
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

}  // namespace maxlat::base
