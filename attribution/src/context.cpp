// SPDX-License-Identifier: MIT
#include "context.hpp"

#include <fmt/format.h>

#include <iterator>
#include <maxlat/attribution/kernel_symbols.hpp>

namespace maxlat::attribution {
namespace {

using core::Certainty;
using core::TimeClass;

constexpr const char* kSoftirqs[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                     "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

std::string softirq_name(int32_t number) {
  if (number >= 0 && static_cast<size_t>(number) < std::size(kSoftirqs)) return kSoftirqs[number];
  return fmt::format("{}", number);
}

const char* vector_name(VectorUse use) {
  switch (use) {
    case VectorUse::reschedule:
      return "reschedule";
    case VectorUse::call_function:
    case VectorUse::call_function_single:
      return "call function";
    case VectorUse::irq_work:
      return "irq work";
    case VectorUse::local_timer:
      return "";
    case VectorUse::other:
      return "of the interrupt controller";
  }
  return "";
}

// The kernel counts from 0, the most urgent, to 139; real-time priorities are 99 to 0 of it, deadline tasks -1.
std::string task_name(const KernelEvent& event) {
  const std::string_view name = event.name.text();
  if (event.number == 0) return core::kIdleTask;
  if (event.priority < 0) return fmt::format("{} (tid {}, deadline)", name, event.number);
  if (event.priority < 100) return fmt::format("{} (tid {}, real-time {})", name, event.number, 99 - event.priority);
  return fmt::format("{} (tid {}, nice {})", name, event.number, event.priority - 120);
}

// "CPU 0, task sh (tid 7), in try_to_wake_up"
std::string sender_of(const Part& part, const std::map<uint64_t, std::string>& functions) {
  const auto known = functions.find(part.sender);
  if (part.sent_by.empty() || known == functions.end()) return part.sent_by;
  return part.sent_by + ", in " + known->second;
}

}  // namespace

Part part_of(const KernelEvent& event) {
  Part part{.certainty = Certainty::seen};
  switch (event.kind) {
    case EventKind::hole:
      return {.kind = TimeClass::before_history};
    case EventKind::page_fault:
      return {.kind = TimeClass::page_fault, .certainty = Certainty::next_to};
    case EventKind::nmi:
      part.kind = TimeClass::nmi;
      break;
    case EventKind::vector_entry: {
      const auto use = static_cast<VectorUse>(event.number);
      part.kind = use == VectorUse::local_timer ? TimeClass::local_timer
                  : use == VectorUse::other     ? TimeClass::irq
                                                : TimeClass::ipi;
      part.name = vector_name(use);
      break;
    }
    case EventKind::irq_entry:
      part.kind = TimeClass::irq;
      part.name = fmt::format("{} {}", event.number, event.name.text());
      break;
    case EventKind::softirq_entry:
      part.kind = TimeClass::softirq;
      part.name = softirq_name(event.number);
      break;
    case EventKind::hrtimer_entry:
      part.kind = TimeClass::hrtimer;
      part.function = event.value;
      break;
    case EventKind::timer_entry:
      part.kind = TimeClass::timer;
      part.function = event.value;
      break;
    case EventKind::work_start:
      part.kind = TimeClass::work;
      part.function = event.value;
      break;
    default:
      part.kind = TimeClass::task;
      part.name = task_name(event);
      break;
  }
  return part;
}

core::AccountedTime told_part(const Part& part, double ns, const std::map<uint64_t, std::string>& functions) {
  return {part.kind,
          with_function(part.name, part.function, functions),
          ns,
          part.count,
          part.certainty,
          with_function(part.woken_by, part.waker_function, functions),
          sender_of(part, functions)};
}

std::string of_other_cpu(uint64_t cpu, const KernelEvent& event) {
  if (event.running == KernelEvent::kInInterrupt) return fmt::format("CPU {}, in an interrupt", cpu);
  if (event.running == KernelEvent::kInSoftirq) return fmt::format("CPU {}, in a softirq", cpu);
  if (event.running == 0) return fmt::format("CPU {}, task {}", cpu, core::kIdleTask);
  if (event.running < 0) return fmt::format("CPU {}", cpu);
  return fmt::format("CPU {}, task {} (tid {})", cpu, event.name.text(), event.running);
}

}  // namespace maxlat::attribution
