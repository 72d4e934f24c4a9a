// SPDX-License-Identifier: MIT
//
// Interval accounting: who had a CPU between two reads of its counter by one thread. The innermost context owns the
// time (NMI, hard irq, softirq, task; the function of an hrtimer within the local timer's interrupt), and each tick has
// one owner:
//
//        from                                                                  to
//   thread |----------|== irq 24 ====|- softirq NET_RX -|-----|.. lost ..|-----|
//           around      irq 24 eth0    softirq NET_RX     ?     before_history
//
// Time that the thread itself seems to have had is `around` where it stands beside an event and is as short as a
// processor's way into the kernel and back (Interval::around_at_most); longer, or in an interval without an event, it
// is `nothing_seen`: the thread only reads the counter, so something below the kernel had it.
//
// INVARIANTS
//   (1) the parts' ticks add up to to - from: Accounting.TheSumIsAlwaysTheInterval
//   (2) no part has more ticks than its context really had, whatever is lost: Accounting.LostHistoryNamesNobodyWrongly
// A stretch in which nothing is seen may have been a system management interrupt: name_smis() below.
// REQUIRES the thread was on the CPU, in user mode, at both ends: it read the counter there. At the beginning it may
// have slept instead (Interval::begins_asleep): whose the CPU was then, the events before tell.
// LIMITS   A preempted softirq, timer function or work item is its task's time when that goes on (PREEMPT_RT).
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/core/result/accounting.hpp>
#include <span>
#include <string>
#include <vector>

namespace maxlat::attribution {

// From a read of the counter to the first event of the interrupt behind it, from its last to the next read, or between
// two. On a virtual machine of 2.6 GHz half of them took less than 0.5 us and 99 of 100 less than 1.9 us; where the
// hypervisor came in between it was 7.5 us and more.
inline constexpr double kAroundAtMost_ns = 3000;
// Of a thread that is woken: its own way beside the task switch, through the scheduler and into its program. On a
// loaded virtual machine (Linux 6.18) half of 6,000 ways from the switch to cyclictest's next setting of its timer took
// 9 us at most, and nine of ten 13 us.
inline constexpr double kSwitchAtMost_ns = 20'000;

struct Interval {
  uint64_t from = 0, to = 0;
  int32_t thread = 0;           // that read the counter at both ends
  int32_t partner = 0;          // a second one of the meter's that does nothing else either: time of its own is judged
                                // as the thread's is; 0: there is none
  uint64_t around_at_most = 0;  // ticks of one way in or out
  uint64_t switch_at_most = 0;  // of one that begins or ends with a task switch; 0: it is as the others
  double ticks_per_ns = 1;
  // A timer's thread: its lateness begins while it sleeps. The events must then begin with a task switch before `from`;
  // without one, all is `before_history` until the first.
  bool begins_asleep = false;
  // A timer of that thread is due from `from` on. That the CPU is idle until the thread is woken is then not the idle
  // task's doing: the interrupt is late, and nothing tells why. So that time is `nothing_seen`.
  bool timer_is_due = false;
  // From `back_from` on the thread is on its way back into its program, one stretch of which takes so many ticks.
  uint64_t back_from = UINT64_MAX, back_at_most = 0;
};

struct Part {
  core::TimeClass kind = core::TimeClass::nothing_seen;
  std::string name{};     // without that of a function
  uint64_t function = 0;  // its address, of hrtimer, timer and work
  uint64_t ticks = 0;
  uint64_t count = 0;
  core::Certainty certainty = core::Certainty::unknown;
  std::string woken_by{};  // without the name of a function
  uint64_t waker_function = 0;
  std::string sent_by{};  // of an ipi, if that is known: "CPU 0, task sh (tid 7)"
  uint64_t sender = 0;    // the address that it was sent from
};

struct Stretch {
  uint64_t from = 0, to = 0;
};

// One of `around`: into the kernel or back.
struct Way : Stretch {
  bool is_of_switch = false;  // with a task switch at an end of it, or a woken thread's back into its program
};

struct Accounting {
  uint64_t from = 0, to = 0;
  std::vector<Part> parts;              // largest first, none empty
  std::vector<Stretch> nothing_seen{};  // those of this part, in their order
  std::vector<Way> ways{};
};

// How many ticks one way takes at most.
struct LongestWays {
  uint64_t of_interrupt = UINT64_MAX, of_switch = UINT64_MAX;
};

// What is known later of how long a way takes: those that were longer become parts of nothing_seen.
void tighten_around(const LongestWays& longest, Accounting& accounting);

// Between two looks at the CPU's count of system management interrupts it rose by `count`.
struct SmiWindow {
  uint64_t from = 0, to = 0;
  uint64_t count = 0;
};

// Makes of the longest `count` stretches of each window, in which nothing is seen, parts of the class smi. They are
// next to what was counted: which of several it was, nobody can know. `accountings` are of the windows' CPU and do not
// overlap.
void name_smis(std::span<const SmiWindow> windows, std::span<Accounting* const> accountings);

// `events` are of one CPU, in the order in which it recorded them; those outside of the interval do not count, but for
// who sent what comes in it, or woke who runs in it.
Accounting account(std::span<const KernelEvent> events, const Interval& interval);

// A part of `ns` in the result's words. `functions` has the names of all functions that are known.
core::AccountedTime told_part(const Part& part, double ns, const std::map<uint64_t, std::string>& functions);

}  // namespace maxlat::attribution
