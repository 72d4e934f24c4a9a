// SPDX-License-Identifier: MIT
#include <maxlat/attribution/lttng_names.hpp>

namespace maxlat::attribution {
namespace {

// The first that fits: events of `system` that begin with `begin` begin with `instead` there.
struct EventRule {
  std::string_view system, begin, instead;
};
constexpr EventRule kEventRules[] = {
    {"irq", "softirq_", "irq_softirq_"},
    {"irq", "tasklet_", "irq_tasklet_"},
    {"timer", "timer_", "timer_"},
    {"timer", "", "timer_"},
    {"irq_vectors", "x86_platform_ipi_", "x86_irq_vectors_ipi_"},
    {"irq_vectors", "", "x86_irq_vectors_"},
    {"exceptions", "", "x86_exceptions_"},
    {"syscalls", "sys_enter_", "syscall_entry_"},
    {"syscalls", "sys_exit_", "syscall_exit_"},
    {"raw_syscalls", "sys_enter", "syscall_entry_"},
    {"raw_syscalls", "sys_exit", "syscall_exit_"},
    {"kmem", "mm_page_", "kmem_mm_page_"},
    {"kmem", "kmalloc", "kmem_kmalloc"},
    {"kmem", "kfree", "kmem_kfree"},
    {"power", "cpu_", "power_cpu_"},
};

// Fields of threads, of these systems.
constexpr std::string_view kWithThreads[] = {"sched", "task"};

}  // namespace

std::string lttng_event_name(std::string_view system, std::string_view name) {
  for (const EventRule& rule : kEventRules)
    if (rule.system == system && name.starts_with(rule.begin))
      return std::string(rule.instead) + std::string(name.substr(rule.begin.size()));
  return std::string(name);
}

std::string lttng_field_name(std::string_view system, std::string_view field) {
  for (const std::string_view of_threads : kWithThreads)
    if (system == of_threads && (field == "pid" || field.ends_with("_pid")))
      return std::string(field.substr(0, field.size() - 3)) + "tid";
  return std::string(field);
}

}  // namespace maxlat::attribution
