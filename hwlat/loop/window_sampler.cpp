// SPDX-License-Identifier: MIT
#include "window_sampler.hpp"

#include <maxlat/base/counter.h>
#include <maxlat/base/gap_meter.h>
#include <time.h>

#include <algorithm>
#include <maxlat/base/moment.hpp>

namespace maxlat::hwlat {

namespace {

// Of a run without an end: a day of windows of one second is kept whole, what comes after counts in the last.
constexpr uint64_t kMostWindows = 90'000;
// A stop is seen this soon.
constexpr uint64_t kLookEvery_ns = 50'000'000;

size_t room_for_windows(const WindowSpec& spec) {
  if (spec.duration_ns == 0) return kMostWindows;
  return static_cast<size_t>(std::min(spec.duration_ns / spec.window_ns + 2, kMostWindows));
}

void sleep_until(uint64_t at_monotonic_ns) {
  const timespec at{static_cast<time_t>(at_monotonic_ns / 1'000'000'000),
                    static_cast<long>(at_monotonic_ns % 1'000'000'000)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);  // a signal ends it early: the loop looks at `stop`
}

}  // namespace

WindowSampler::WindowSampler(const WindowSpec& spec, core::AskedGaps* asked)
    : spec_(spec), asked_(asked), own_(spec.outliers), handed_out_(spec.outliers) {
  for (Books* books : {&own_, &handed_out_}) books->largest_of_window.reserve(room_for_windows(spec));
}

void WindowSampler::run(const std::atomic<bool>& stop, const core::HomeCpu& home) {
  home_ = home;
  const uint64_t width_ticks = static_cast<uint64_t>(static_cast<double>(spec_.width_ns) * spec_.ticks_per_ns);
  const uint64_t end_ns = spec_.duration_ns == 0 ? UINT64_MAX : spec_.start_monotonic_ns + spec_.duration_ns;
  // relaxed: a flag, nothing is handed over with it
  for (uint64_t window = 0; !was_away_ && !stop.load(std::memory_order_relaxed); ++window) {
    const uint64_t begin_ns = spec_.start_monotonic_ns + window * spec_.window_ns;
    if (begin_ns >= end_ns) break;
    const uint64_t now_ns = base::monotonic_ns();
    if (now_ns < begin_ns) sleep_until(begin_ns);
    if (asked_ != nullptr && window == 0) asked_->begin(maxlat_counter_fenced());
    // The last window may be a part of one.
    const uint64_t left_ns = std::min(end_ns - std::min(end_ns, std::max(begin_ns, now_ns)), spec_.width_ns);
    sample_window(std::min(width_ticks, static_cast<uint64_t>(static_cast<double>(left_ns) * spec_.ticks_per_ns)),
                  stop);
    hand_out();
  }
  if (asked_ != nullptr) asked_->end(maxlat_counter_fenced());
  // The last copy may wait for a reader: no window comes after it.
  const std::lock_guard lock(handed_out_mutex_);
  handed_out_ = own_;
}

void WindowSampler::sample_window(uint64_t width_ticks, const std::atomic<bool>& stop) {
  const auto look_every = static_cast<uint64_t>(static_cast<double>(kLookEvery_ns) * spec_.ticks_per_ns);
  maxlat_histogram* histogram = &own_.histogram.raw();
  uint64_t largest = 0;
  maxlat_gap_meter meter;
  const uint64_t first = maxlat_counter_fenced();
  const uint64_t end = first + width_ticks;
  maxlat_gap_start(&meter, first, maxlat_counter_fenced());
  for (bool leave = false; !leave;) {
    while (maxlat_gap_is_rare(&meter)) {
      largest = std::max(largest, meter.pending);
      was_away_ = was_away_ || !home_.is_here();
      if (meter.pending > own_.outliers.floor()) {
        own_.outliers.offer(meter.pending, meter.previous);
        if (asked_ != nullptr && was_away_) asked_->decline();
        if (asked_ != nullptr && !was_away_) (void)asked_->ask(meter.pending, meter.previous);
      }
      meter.rare_above = std::min({largest, own_.outliers.floor(), MAXLAT_GAP_RARE_MAX});
      meter.block_end = std::min(end, meter.previous + look_every);
      leave = was_away_ || meter.previous >= end || stop.load(std::memory_order_relaxed);
      if (leave || maxlat_histogram_in_range(meter.pending)) break;
      maxlat_gap_take_overflow(&meter, histogram, maxlat_counter_fenced());
    }
    if (!leave) maxlat_gap_step(&meter, histogram, maxlat_counter_fenced());
  }
  maxlat_gap_finish(&meter, histogram, largest);
  own_.watched_ticks += meter.previous - meter.first;
  if (own_.largest_of_window.size() < own_.largest_of_window.capacity()) {
    own_.largest_of_window.push_back(largest);
  } else {
    own_.largest_of_window.back() = std::max(own_.largest_of_window.back(), largest);
  }
}

void WindowSampler::hand_out() {
  const std::unique_lock lock(handed_out_mutex_, std::try_to_lock);
  if (lock.owns_lock()) handed_out_ = own_;
  has_samples_.store(true, std::memory_order_relaxed);  // relaxed: a flag, nothing is handed over with it
}

Books WindowSampler::books() const {
  const std::lock_guard lock(handed_out_mutex_);
  return handed_out_;
}

}  // namespace maxlat::hwlat
