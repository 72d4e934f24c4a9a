// SPDX-License-Identifier: MIT
#include <maxlat/base/gap_meter.h>

#include <algorithm>
#include <maxlat/core/stats/journal.hpp>

namespace maxlat::core {

JournalSpec without_limits(const JournalSpec& spec) {
  static const std::atomic<bool> never{false};
  static std::atomic<bool> unheard{false};
  JournalSpec unlimited = spec;
  unlimited.steps = 1;
  unlimited.duration_ticks = 0;
  unlimited.rest_every_ticks = unlimited.rest_ticks = 0;
  unlimited.stretch_ticks = 0;
  unlimited.break_above = UINT64_MAX;
  unlimited.accounted = nullptr;
  unlimited.home = {};
  unlimited.tell_above = UINT64_MAX;
  unlimited.show = nullptr;
  unlimited.raw_above = UINT64_MAX;
  unlimited.raw_room = 0;
  unlimited.stop = &never;
  unlimited.halt = &unheard;
  return unlimited;
}

Journal::Journal(const JournalSpec& spec)
    : spec_(spec),
      outliers_(spec.outliers),
      raw_(spec.raw_room),
      step_(std::max<size_t>(spec.steps, 1)),
      rare_at_most_(std::min({spec.break_above, spec.tell_above, spec.raw_above, uint64_t{MAXLAT_GAP_RARE_MAX}})) {
  open_ = step_.data();
}

void Journal::begin(uint64_t start) {
  start_ = start;
  step_end_ = start;  // already over: the first look() opens step 0
  home_look_ = start + spec_.look_every_ticks;
  if (spec_.accounted != nullptr) spec_.accounted->begin(start);
  deadline_ = spec_.duration_ticks == 0 ? UINT64_MAX : start + spec_.duration_ticks;
  if (spec_.rest_ticks != 0) plan_rest_after(start);
}

uint64_t Journal::largest_step_max() const {
  uint64_t largest = 0;
  for (size_t i = 0; i < steps(); ++i) largest = std::max(largest, step_max(i));
  return largest;
}

void Journal::open_step_of(uint64_t end) noexcept {
  const uint64_t index = (end - start_) / spec_.step_ticks;
  const size_t last = step_.size() - 1;
  // What ends behind the deadline is the last step's by right.
  timeline_full_ = timeline_full_ || (index > last && end < deadline_);
  const size_t kept = std::min<uint64_t>(index, last);
  open_ = &step_[kept];
  used_steps_.store(kept + 1, std::memory_order_release);  // pairs with steps()
  step_end_ = start_ + (index + 1) * spec_.step_ticks;
}

void Journal::plan_rest_after(uint64_t end) noexcept {
  const uint64_t every = spec_.rest_every_ticks != 0 ? spec_.rest_every_ticks : spec_.step_ticks;
  rest_end_ = start_ + ((end - start_) / every + 1) * every;
  rest_begin_ = rest_end_ - spec_.rest_ticks;
}

// REQUIRES: end >= rest_begin_
bool Journal::is_time_to_rest(uint64_t end) noexcept {
  if (end >= rest_end_) plan_rest_after(end);  // it has rested, or a gap has taken all of the rest
  return end >= rest_begin_;
}

void Journal::keep_raw(uint64_t gap, uint64_t end) noexcept {
  if (raw_used_ == raw_.size())
    ++raw_not_kept_;
  else
    raw_[raw_used_++] = {gap, end};
}

Journal::Limits Journal::leave(Why why) noexcept {
  why_ = why;
  return {0, 0};
}

Journal::Limits Journal::look(uint64_t gap, uint64_t end) noexcept {
  if (end >= step_end_) open_step_of(end);
  if (stretch_end_ == 0) stretch_end_ = end_of_stretch(end);
  if (gap > open_->max) {
    MAXLAT_STORE(&open_->time, end);
    MAXLAT_STORE(&open_->max, gap);
  }
  const bool is_longest = gap > max_, is_outlier = gap > outliers_.floor();
  bool is_away = false;
  // Not at each look: of npt's longest turn it would be a tenth (docs/exact-comparison.md).
  if (end >= home_look_ || (is_outlier && spec_.accounted != nullptr)) {
    is_away = !spec_.home.is_here();
    home_look_ = end + spec_.look_every_ticks;
  }
  if (is_longest) max_ = gap;
  if (is_outlier) {
    outliers_.offer(gap, end);
    if (spec_.accounted != nullptr && is_away) spec_.accounted->decline();
    if (spec_.accounted != nullptr && !is_away) (void)spec_.accounted->ask(gap, end);
  }
  if (spec_.show != nullptr && (is_longest || is_outlier)) spec_.show(spec_.show_state, gap, max_);
  if (gap > spec_.raw_above) keep_raw(gap, end);
  if (gap > spec_.tell_above) spec_.tell(spec_.tell_state, gap);

  if (is_away) return leave(Why::away);  // whatever it was, it is not this CPU's
  if (gap > spec_.break_above) {
    breaking_gap_ = gap;
    breaking_time_ = end;
    spec_.halt->store(true, std::memory_order_relaxed);  // relaxed: a flag that says stop; what it stops is joined
    return leave(Why::broken);
  }
  if (end >= deadline_) return leave(Why::duration_over);
  // relaxed: only the flags themselves are looked at
  if (spec_.stop->load(std::memory_order_relaxed)) return leave(Why::stopped);
  if (spec_.halt->load(std::memory_order_relaxed)) return leave(Why::halted);
  if (end >= rest_begin_ && is_time_to_rest(end)) return leave(Why::rest);
  if (end >= window_end_) return leave(Why::window_over);
  if (end >= stretch_end_) return leave(Why::pause);

  const uint64_t rare_above = std::min({open_->max, outliers_.floor(), rare_at_most_});
  const uint64_t block_end =
      std::min({end + spec_.look_every_ticks, step_end_, rest_begin_, window_end_, stretch_end_, deadline_});
  return {rare_above, block_end};
}

}  // namespace maxlat::core
