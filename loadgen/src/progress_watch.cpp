// SPDX-License-Identifier: MIT
#include "progress_watch.hpp"

#include <algorithm>
#include <cmath>

namespace maxlat::loadgen {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::steady_clock::duration kNothingAtAll = 1s, kShortestLastPause = 3s;
constexpr int kPartOfAge = 10;

}  // namespace

void ProgressWatch::observe(uint64_t work, uint64_t rounds, Time now, std::optional<Time> counted_at) {
  if (work != last_work_ || rounds != last_rounds_) last_change_ = now;
  last_work_ = work;
  last_rounds_ = rounds;

  const Time until = counted_at.value_or(now);
  const double seconds = std::chrono::duration<double>(until - counted_until_).count();
  const auto entries = std::lround(seconds);
  if (entries <= 0) return;
  per_second_.insert(per_second_.end(), static_cast<size_t>(entries),
                     static_cast<double>(work - counted_work_) / seconds);
  counted_until_ = until;
  counted_work_ = work;
}

bool ProgressWatch::idle_at_end(Time now) const {
  if (last_work_ == 0 && last_rounds_ == 0) return age(now) >= kNothingAtAll;
  return pause(now) > std::max(kShortestLastPause, age(now) / kPartOfAge);
}

}  // namespace maxlat::loadgen
