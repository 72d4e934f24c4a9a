// SPDX-License-Identifier: MIT
//
// Switches that the kernel did not record. Linux 6.18, as seen on a virtual machine, records none from the idle task:
// whoever the CPU then runs would pass for idle. But each event tells which thread was running when it was recorded. So
// one that tells another than the last switch did shows a switch, and that is put before it: at the event before, for
// an idle CPU leaves with the interrupt that ends its idleness. Where that event is the switch to the idle task there
// was none: a CPU that polls while it is idle needs no interrupt. Then it is put at the event that shows it, and the
// task has less time than it had, not more.
//
// In the beginning, and behind a hole, the first event tells who has the CPU: a loop that is never switched out is
// known from there on. (Thread -1: the event does not tell.)
//
// THREADS  one at a time. One object for each CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <maxlat/attribution/kernel_event.hpp>
#include <optional>
#include <vector>

namespace maxlat::attribution {

class UnseenSwitches {
 public:
  struct Thread {
    ShortName name{};
    int32_t priority = 120;  // as in KernelEvent
  };
  // Of a thread of which no event here has told: from /proc in life, where it may have ended.
  using LookUp = std::function<Thread(int32_t)>;

  explicit UnseenSwitches(LookUp look_up) : look_up_(std::move(look_up)) {}

  // Adds the event to `events`, and before it the switch that it shows. A rename gets its thread's priority.
  void add(KernelEvent event, std::vector<KernelEvent>& events);

 private:
  static constexpr size_t kMostThreads = 4096;  // then it begins anew

  void learn(const KernelEvent& event);
  Thread thread_of(int32_t number) const;

  LookUp look_up_;
  std::optional<int32_t> running_;  // nothing: not known
  uint64_t last_tick_ = 0;
  bool was_switch_ = false;  // the last event
  std::map<int32_t, Thread> threads_;
};

// Reads /proc. One that has ended by then is "(unknown)".
UnseenSwitches::Thread thread_of_proc(int32_t number);

}  // namespace maxlat::attribution
