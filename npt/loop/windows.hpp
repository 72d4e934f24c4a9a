// SPDX-License-Identifier: MIT
//
// --trace-window and --wait-window: tracepoints on for one time, off for the other, in turns, the first one on.
//
// A window is a segment of the loop (or several, where a rest falls into it), with books of its own. In a waiting
// window the loop is the bare loop of the arm "none": nothing is switched off within it, there is nothing in it.
// npt 1.01 kept one histogram for both kinds, so that the comparison had to be made from the trace.
//
// A gap belongs to the window in which it began.
#pragma once

#include <cstdint>

namespace maxlat::npt {

class Windows {
 public:
  // Both lengths 0: one traced window without end.
  Windows(uint64_t traced_ticks, uint64_t waiting_ticks, uint64_t start)
      : traced_ticks_(traced_ticks),
        waiting_ticks_(waiting_ticks),
        end_(traced_ticks == 0 ? UINT64_MAX : start + traced_ticks) {}

  bool traced() const { return traced_; }
  uint64_t end() const { return end_; }

  // To the window that holds `now`: a long stall may have swallowed some.
  void advance_to(uint64_t now) {
    while (end_ <= now) {
      traced_ = !traced_;
      end_ += traced_ ? traced_ticks_ : waiting_ticks_;
    }
  }

 private:
  uint64_t traced_ticks_, waiting_ticks_;
  uint64_t end_;
  bool traced_ = true;
};

}  // namespace maxlat::npt
