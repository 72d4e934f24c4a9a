// SPDX-License-Identifier: MIT
//
// An event of the kernel on one CPU, whatever recorded it: a plain value, small enough to be kept by the hundred
// thousand.
//
// UNITS  tick is one of the time-stamp counter (base/counter.h), on which the measured loops run, too.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace maxlat::attribution {

enum class EventKind : uint8_t {
  hole,  // made by the reader: what came before `tick`, back to the event before it, is lost
  nmi,   // at its end
  vector_entry,
  vector_exit,
  irq_entry,
  irq_exit,
  softirq_entry,
  softirq_exit,
  hrtimer_entry,
  hrtimer_exit,
  timer_entry,
  timer_exit,
  work_start,
  work_end,
  page_fault,  // has no end
  task_switch,
  waking,
  rename,     // of a thread, that becomes another program or calls itself otherwise
  timer_set,  // an hrtimer; recorded where wake-ups are looked for
  machine_counts,
  // What another CPU did, told among the events of this one by who reads all of them. They have no time of this CPU's.
  woken_elsewhere,  // the thread `number`, by `running` on the CPU `value`
  moved_elsewhere,  // the thread `number`, away from here or to here: who woke it before is not who wakes it next
  ipi_sent,         // to this CPU, by `running` on the CPU `number`, from `value`; `priority` 1: a call of a function
  lost_elsewhere,   // of another CPU's events some are lost up to here: who did what until now may be among them
};

inline bool is_of_another_cpu(EventKind kind) {
  return kind == EventKind::woken_elsewhere || kind == EventKind::moved_elsewhere || kind == EventKind::ipi_sent ||
         kind == EventKind::lost_elsewhere;
}

// Of these no time of the CPU begins or ends.
inline bool is_only_told(EventKind kind) {
  return kind == EventKind::machine_counts || is_of_another_cpu(kind);
}

// What a vector of the processor's interrupt controller is for.
enum class VectorUse : int32_t { local_timer, reschedule, call_function, call_function_single, irq_work, other };

// As much as the kernel's task names have, and the usual name of an interrupt handler.
class ShortName {
 public:
  ShortName() = default;
  explicit ShortName(std::string_view text) { text.copy(text_.data(), kMost); }
  std::string_view text() const { return {text_.data(), ::strnlen(text_.data(), kMost)}; }
  friend auto operator<=>(const ShortName&, const ShortName&) = default;

 private:
  static constexpr size_t kMost = 24;
  std::array<char, kMost> text_{};
};

struct KernelEvent {
  static constexpr int32_t kNoLateness = INT32_MIN;
  static constexpr int32_t kUnknown = -1;                       // `running`, where nothing tells it
  static constexpr int32_t kInInterrupt = -2, kInSoftirq = -3;  // and of what no thread of another CPU did

  uint64_t tick = 0;
  // Address of the function of hrtimer, timer and work; length of an NMI's handler in ns; when an hrtimer is to expire,
  // in ns of its own clock; SMIs that the CPU has had; of a switch by our module, how the thread before was left: 0, it
  // was preempted, else it sleeps.
  uint64_t value = 0;
  int32_t number = 0;    // irq line, number of the softirq, VectorUse; thread that runs next, was woken, renamed
  int32_t priority = 0;  // of the thread that runs next, was woken or renamed: the kernel's, 0 to 139
  int32_t running = 0;   // thread that the event was recorded in, or in whose place an interrupt ran
  int32_t lateness_ns = kNoLateness;  // of an hrtimer's entry, where it is told
  EventKind kind = EventKind::hole;
  ShortName name{};  // handler of an irq line, thread that runs next, was woken, or is called so from here on; of what
                     // another CPU did its own thread
};

}  // namespace maxlat::attribution
