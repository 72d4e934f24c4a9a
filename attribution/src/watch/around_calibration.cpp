// SPDX-License-Identifier: MIT
#include "around_calibration.hpp"

#include <algorithm>
#include <iterator>

namespace maxlat::attribution {
namespace {

using core::TimeClass;

bool is_of_a_lone_tick(const Accounting& accounting) {
  uint64_t ticks = 0;
  for (const Part& part : accounting.parts) {
    const bool is_of_tick = part.kind == TimeClass::local_timer || part.kind == TimeClass::hrtimer;
    if (!is_of_tick && part.kind != TimeClass::around && part.kind != TimeClass::nothing_seen) return false;
    if (part.kind == TimeClass::local_timer) ticks += part.count;
  }
  return ticks == 1;
}

// 0: there are too few.
uint64_t median_of(std::vector<uint64_t> lengths) {
  if (lengths.size() < AroundCalibration::kFewest) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

}  // namespace

void AroundCalibration::see(const Accounting& accounting) {
  if (!is_of_a_lone_tick(accounting)) return;
  for (const Stretch& way : accounting.ways) {
    const bool is_in = way.from == accounting.from, is_out = way.to == accounting.to;
    if (is_in == is_out) continue;
    std::vector<uint64_t>& lengths = is_in ? in_ : out_;
    if (lengths.size() < kMost) lengths.push_back(way.to - way.from);
  }
}

void AroundCalibration::add(const AroundCalibration& other) {
  in_.insert(in_.end(), other.in_.begin(), other.in_.end());
  out_.insert(out_.end(), other.out_.begin(), other.out_.end());
}

std::optional<uint64_t> AroundCalibration::at_most() const {
  if (out_.size() < kFewest) return {};
  return kTimesTheMedian * std::max(median_of(in_), median_of(out_));
}

}  // namespace maxlat::attribution
