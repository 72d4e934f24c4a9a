// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/attribution/event_meaning.hpp>
#include <utility>

namespace maxlat::attribution {
namespace {

std::vector<EventMeaning> all_meanings() {
  std::vector<EventMeaning> rows = {
      {"sched/sched_switch", EventKind::task_switch, "next_pid", nullptr, "next_prio", "next_comm"},
      {"sched/sched_waking", EventKind::waking, "pid", nullptr, "prio", "comm"},
      {"task/task_rename", EventKind::rename, "pid", nullptr, nullptr, "newcomm"},
      {"irq/irq_handler_entry", EventKind::irq_entry, "irq", nullptr, nullptr, "name"},
      {"irq/irq_handler_exit", EventKind::irq_exit, "irq"},
      {"irq/softirq_entry", EventKind::softirq_entry, "vec"},
      {"irq/softirq_exit", EventKind::softirq_exit, "vec"},
      {"timer/hrtimer_expire_entry", EventKind::hrtimer_entry, nullptr, "function"},
      {"timer/hrtimer_expire_exit", EventKind::hrtimer_exit},
      {"timer/timer_expire_entry", EventKind::timer_entry, nullptr, "function"},
      {"timer/timer_expire_exit", EventKind::timer_exit},
      {"workqueue/workqueue_execute_start", EventKind::work_start, nullptr, "function"},
      {"workqueue/workqueue_execute_end", EventKind::work_end},
      {"exceptions/page_fault_user", EventKind::page_fault},
      {"exceptions/page_fault_kernel", EventKind::page_fault},
      {"nmi/nmi_handler", EventKind::nmi, nullptr, "delta_ns"},
      {"machine/machine_counts", EventKind::machine_counts, nullptr, "smi"},  // of our module alone
  };
  static constexpr std::pair<const char*, VectorUse> kVectors[] = {
      {"local_timer", VectorUse::local_timer},     {"reschedule", VectorUse::reschedule},
      {"call_function", VectorUse::call_function}, {"call_function_single", VectorUse::call_function_single},
      {"irq_work", VectorUse::irq_work},           {"x86_platform_ipi", VectorUse::other},
      {"thermal_apic", VectorUse::other},          {"threshold_apic", VectorUse::other},
      {"deferred_error_apic", VectorUse::other},   {"error_apic", VectorUse::other},
      {"spurious_apic", VectorUse::other},
  };
  for (const auto& [vector, use] : kVectors) {
    rows.push_back({.name = fmt::format("irq_vectors/{}_entry", vector), .kind = EventKind::vector_entry, .use = use});
    rows.push_back({.name = fmt::format("irq_vectors/{}_exit", vector), .kind = EventKind::vector_exit, .use = use});
  }
  return rows;
}

}  // namespace

const std::vector<EventMeaning>& event_meanings() {
  static const std::vector<EventMeaning> rows = all_meanings();
  return rows;
}

}  // namespace maxlat::attribution
