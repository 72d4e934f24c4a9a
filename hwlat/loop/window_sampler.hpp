// SPDX-License-Identifier: MIT
//
// One CPU's sampling loop: in each window it reads the counter for `width`, then sleeps for the rest.
//
// Why a rest: RT throttling stops a real-time task that never sleeps for 50 ms of each second on a stock box. The
// default width of 0.9 of 1 s leaves 100 ms, so what is watched is watched whole, and the box stays usable.
//
// The loop itself is base/gap_meter.h, the same sampling step as npt's and the kernel module's. Between two windows the
// thread hands out a copy of its books (Books), so readers never look at books that change under them.
//
// THREADS: run() on the sampling thread, pinned and real-time by its caller. books() from one other thread at any time;
// the sampling thread never waits for it (it keeps its old copy when a reader has it in hand).
#pragma once

#include <atomic>
#include <cstdint>
#include <maxlat/base/histogram.hpp>
#include <maxlat/core/stats/outliers.hpp>
#include <maxlat/core/sys/asked_gaps.hpp>
#include <maxlat/core/sys/home_cpu.hpp>
#include <mutex>
#include <string>
#include <vector>

namespace maxlat::hwlat {

struct WindowSpec {
  uint64_t window_ns = 0, width_ns = 0;
  uint64_t duration_ns = 0;         // 0: until stopped
  uint64_t start_monotonic_ns = 0;  // of the first window, the same on every CPU
  double ticks_per_ns = 0;
  size_t outliers = 0;
};

// Everything one CPU knows, at the end of a window.
struct Books {
  explicit Books(size_t outlier_capacity) : outliers(outlier_capacity) {}
  base::Histogram histogram;                // of gaps, in ticks
  core::Outliers outliers;                  // with counter values
  std::vector<uint64_t> largest_of_window;  // ticks
  uint64_t watched_ticks = 0;
};

class WindowSampler {
 public:
  // Allocates and touches everything it will use. `asked` is handed each gap that becomes an outlier; null: nobody
  // asks.
  explicit WindowSampler(const WindowSpec& spec, core::AskedGaps* asked = nullptr);

  // `home`: of the calling thread. Seen elsewhere, it ends.
  void run(const std::atomic<bool>& stop, const core::HomeCpu& home = {});
  Books books() const;
  // On the sampling thread, behind run(): why not all of it is of its CPU; "" when it is.
  std::string why_left() const { return home_.why_left(was_away_); }
  // Whether a window is over. From any thread.
  bool has_samples() const { return has_samples_.load(std::memory_order_relaxed); }  // relaxed: a flag alone

 private:
  void sample_window(uint64_t width_ticks, const std::atomic<bool>& stop);
  void hand_out();

  WindowSpec spec_;
  core::AskedGaps* asked_;
  core::HomeCpu home_;
  bool was_away_ = false;
  Books own_;
  mutable std::mutex handed_out_mutex_;
  Books handed_out_;
  std::atomic<bool> has_samples_{false};
};

}  // namespace maxlat::hwlat
