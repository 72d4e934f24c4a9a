// SPDX-License-Identifier: MIT
#include "progress_watch.hpp"

#include <cmath>

namespace maxlat::loadgen {

void ProgressWatch::observe(uint64_t work, uint64_t rounds, Time now) {
  if (work != last_work_ || rounds != last_rounds_) last_change_ = now;
  last_work_ = work;
  last_rounds_ = rounds;

  const double seconds = std::chrono::duration<double>(now - counted_until_).count();
  const auto entries = static_cast<size_t>(std::lround(seconds));
  if (entries == 0) return;
  per_second_.insert(per_second_.end(), entries, static_cast<double>(work - counted_work_) / seconds);
  counted_until_ = now;
  counted_work_ = work;
}

}  // namespace maxlat::loadgen
