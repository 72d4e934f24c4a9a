// SPDX-License-Identifier: MIT
//
// What the measured loop does rarely: the largest gap of each second, the outliers, and the decision to leave.
//
// The loop keeps two numbers in registers and comes here only when a gap is above `rare_above` or a read has reached
// `block_end`. look() answers with the next two. Within a second the first is the second's maximum so far (or the
// outliers' floor, or the break limit, if that is lower), so visits become rare by themselves; the second is at most
// 100 ms away, so that a request to stop is seen soon. The time of a visit is not hidden: it lies in the next gap, and
// costs about 10 ns.
//
//   a gap that ends in second k counts for second k, whenever it began; a second in which no gap ended has 0; what
//   ends after the last second (the gap that reaches the deadline) counts for the last
//   a gap is above the break limit when it is greater, not when it is equal
//
// THREADS: look() by the loop's thread only. step_max() and step_time() may be read by another thread while the loop
// runs (relaxed words: each is one that was written; the two of a pair may be one visit apart).
#pragma once

#include <maxlat/base/platform.h>

#include <atomic>
#include <cstdint>
#include <maxlat/core/stats/outliers.hpp>
#include <maxlat/core/sys/asked_gaps.hpp>
#include <maxlat/core/sys/home_cpu.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace maxlat::core {

struct JournalSpec {
  uint64_t step_ticks = 0;            // of the timeline: one second
  size_t steps = 0;                   // room for so many; the last one takes what comes after
  uint64_t look_every_ticks = 0;      // for the stop flags, and whether the thread is at home
  uint64_t duration_ticks = 0;        // 0: no limit
  uint64_t rest_every_ticks = 0;      // 0: step_ticks
  uint64_t rest_ticks = 0;            // leave so long before the end of each rest_every_ticks. REQUIRES: less than those
  uint64_t stretch_ticks = 0;         // leave after so long without a pause; 0: no limit
  uint64_t break_above = UINT64_MAX;  // ticks
  size_t outliers = 0;
  AskedGaps* accounted = nullptr;    // is handed each gap that becomes an outlier; null: nobody asks
  HomeCpu home{};                    // of the loop's thread: who comes here from elsewhere leaves
  uint64_t tell_above = UINT64_MAX;  // ticks: of each gap above it tell() is called, within the loop
  void (*tell)(void* state, uint64_t gap) = nullptr;
  void* tell_state = nullptr;
  // Of each gap that is an outlier or longer than all before it, with the longest so far; null: of none.
  void (*show)(void* state, uint64_t gap, uint64_t max) = nullptr;
  void* show_state = nullptr;
  uint64_t raw_above = UINT64_MAX;  // ticks: each gap above it is kept, as long as there is room
  size_t raw_room = 0;
  const std::atomic<bool>* stop = nullptr;  // asked for from outside
  std::atomic<bool>* halt = nullptr;        // set when one CPU's break limit must end all
};

// The same for loops that are not the measurement (warm-up, the loop's own cost): nothing but their count ends them.
JournalSpec without_limits(const JournalSpec& spec);

class Journal {
 public:
  // stopped: asked for from outside; halted: another CPU, or the other books of this one, met the break limit, or the
  // loop was given up. away: the loop is on another CPU than its own.
  enum class Why { running, rest, window_over, pause, duration_over, stopped, halted, broken, away };
  struct Limits {
    uint64_t rare_above;
    uint64_t block_end;  // 0: leave
    bool leave() const { return block_end == 0; }
  };

  explicit Journal(const JournalSpec& spec);  // allocates and touches everything it will ever use

  // Time 0 of the timeline and of the duration. The next look() opens the first step.
  void begin(uint64_t start);
  // A further segment, of a window that ends there (windows.hpp). Its first look() begins a new stretch.
  void resume(uint64_t window_end = UINT64_MAX) {
    why_ = Why::running;
    window_end_ = window_end;
    stretch_end_ = 0;
  }
  // Of a thread that is bound behind the constructor. Before begin().
  void stay_on(const HomeCpu& home) { spec_.home = home; }
  // When the loop has ended: why not all that it filed is of its CPU; "" when it is.
  std::string why_left() const { return spec_.home.why_left(why_ == Why::away); }
  // From the next resume() on.
  void limit_stretch(uint64_t ticks) { spec_.stretch_ticks = ticks; }

  [[gnu::noinline]] Limits look(uint64_t gap, uint64_t end) noexcept;

  Why why() const { return why_; }
  uint64_t start() const { return start_; }
  uint64_t step_ticks() const { return spec_.step_ticks; }
  uint64_t step_end() const { return step_end_; }
  // When it was left to rest: until then.
  uint64_t rest_end() const { return rest_end_; }
  uint64_t max() const { return max_; }
  uint64_t breaking_gap() const { return breaking_gap_; }
  uint64_t breaking_time() const { return breaking_time_; }
  // More steps than there is room for, though nobody said how long it would take.
  bool timeline_full() const { return timeline_full_; }
  const Outliers& outliers() const { return outliers_; }
  // Every gap above the raw limit, in the order of time; and those that found no room.
  std::span<const OutlierSample> raw() const { return {raw_.data(), raw_used_}; }
  uint64_t raw_not_kept() const { return raw_not_kept_; }

  // acquire: pairs with open_step_of(); whoever sees a step sees start() too
  size_t steps() const { return used_steps_.load(std::memory_order_acquire); }
  // The largest of all steps so far.
  uint64_t largest_step_max() const;
  uint64_t step_max(size_t step) const { return MAXLAT_LOAD(&step_[step].max); }
  uint64_t step_time(size_t step) const { return MAXLAT_LOAD(&step_[step].time); }

 private:
  struct Step {
    uint64_t max;
    uint64_t time;  // counter value at the end of the largest gap
  };
  void open_step_of(uint64_t end) noexcept;
  void plan_rest_after(uint64_t end) noexcept;
  bool is_time_to_rest(uint64_t end) noexcept;
  void keep_raw(uint64_t gap, uint64_t end) noexcept;
  Limits leave(Why why) noexcept;
  uint64_t end_of_stretch(uint64_t begin) const {
    return spec_.stretch_ticks == 0 ? UINT64_MAX : begin + spec_.stretch_ticks;
  }

  JournalSpec spec_;
  Outliers outliers_;
  std::vector<OutlierSample> raw_;  // as large as it will ever be
  size_t raw_used_ = 0;
  uint64_t raw_not_kept_ = 0;
  std::vector<Step> step_;
  const uint64_t rare_at_most_;  // whatever is above these limits is looked at
  std::atomic<size_t> used_steps_{0};
  Step* open_ = nullptr;
  uint64_t start_ = 0;
  uint64_t step_end_ = 0;
  uint64_t home_look_ = 0;  // when to ask again whether the thread is at home
  uint64_t rest_begin_ = UINT64_MAX, rest_end_ = UINT64_MAX;
  uint64_t stretch_end_ = UINT64_MAX;
  uint64_t deadline_ = UINT64_MAX;
  uint64_t window_end_ = UINT64_MAX;
  uint64_t max_ = 0;
  uint64_t breaking_gap_ = 0, breaking_time_ = 0;
  bool timeline_full_ = false;
  Why why_ = Why::running;
};

}  // namespace maxlat::core
