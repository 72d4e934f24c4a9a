// SPDX-License-Identifier: MIT
//
// What histograms of both forms have in common for a monitor.
#pragma once

#include <cstdint>
#include <maxlat/sensors/monitor.hpp>

#include "shm/container.hpp"

namespace maxlat::sensors::detail {

// What is in no bucket is counted already. `head` has min, max and sum.
template <class Head>
void read_buckets(const Head& head, const void* behind, std::uint64_t count, HistogramValue& value) {
  const auto* const buckets = static_cast<const std::uint64_t*>(behind);
  value.total = value.below + value.overflows;
  value.buckets.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) value.total += value.buckets.emplace_back(trace::once(buckets[i]));
  value.min = trace::once(head.min);
  value.max = trace::once(head.max);
  value.sum = trace::once(head.sum);
  value.has_moments = value.min <= value.max;
}

// REQUIRES: histograms of one shape.
void add_up_histograms(SensorValue& all, const SensorValue& one);

}  // namespace maxlat::sensors::detail
