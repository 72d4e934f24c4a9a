// SPDX-License-Identifier: MIT
//
// The calls of the arm `kernel`, found again among the events that a tracer of the kernel recorded.
//
// A call is getppid(), which has no arguments, with two all the same: a mark, and a number that goes up by one with
// each call of its thread. The kernel ignores them; its event sys_enter has them. A call is there if both its events
// are: sys_enter with mark and number, and on the same CPU the next sys_exit of a getppid().
//
// THREADS: one at a time.
#pragma once

#include <cstdint>
#include <vector>

namespace maxlat::npt {

inline constexpr uint64_t kMarkOfACall = 0x6d61786c61746e70;  // "maxlatnp"

class CallCount {
 public:
  void enter(unsigned cpu, int64_t system_call, uint64_t mark, uint64_t number);
  void exit(unsigned cpu, int64_t system_call);
  void other_event() { ++events_; }

  uint64_t events() const { return events_; }  // all, of whomever
  uint64_t calls() const { return calls_; }    // of ours, with both their events
  bool in_order() const { return in_order_; }  // no number came twice, or before a smaller one

 private:
  struct Cpu {
    uint64_t number = 0;  // of the call that was entered last
    bool inside = false;
  };
  Cpu& of(unsigned cpu);

  std::vector<Cpu> cpus_;
  uint64_t events_ = 0, calls_ = 0;
  bool in_order_ = true;
};

}  // namespace maxlat::npt
