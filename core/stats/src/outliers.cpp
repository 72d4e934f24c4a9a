// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/core/stats/outliers.hpp>

namespace maxlat::core {

// kept_ is sorted, largest first. Inserting moves what is smaller by one place: with K in the tens that is one or two
// cache lines, and simpler than a heap of the same cost.
Outliers::Outliers(size_t capacity) : capacity_(capacity), kept_(capacity + 1) {
  kept_.clear();  // the elements were written: the pages are there
  if (capacity_ == 0) floor_ = UINT64_MAX;
}

void Outliers::offer(uint64_t ticks, uint64_t time) {
  if (ticks <= floor_) return;
  // Behind its equals: of two samples of the same length the earlier one stays.
  const auto place = std::upper_bound(kept_.begin(), kept_.end(), ticks,
                                      [](uint64_t value, const OutlierSample& sample) { return value > sample.ticks; });
  kept_.insert(place, {ticks, time});  // no allocation: room for capacity + 1
  if (kept_.size() > capacity_) kept_.pop_back();
  if (kept_.size() == capacity_) floor_ = kept_.back().ticks;
}

std::vector<OutlierSample> Outliers::largest_first() const {
  return kept_;
}

}  // namespace maxlat::core
