/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel's events, as one table. From it are made the module's probes (tracer/kernel/probes.c), the layout of
 * the records, and in user space the names and types of their fields (kernel_events.hpp). The tracepoint of each
 * event has the same name; the arguments that it passes to its probes are checked when the module is compiled.
 *
 *   EVENT(id, group, name, record)   id is a record's, and bit id - 1 of a mask of events. Several events may have one
 *                                    kind of record. Ids are for good: a new event is added at the end
 *   RECORD(record)                   struct maxlat_kernel_RECORD, of FIELD(type, name), ADDRESS(name), TEXT(name): a
 *                                    multiple of 8 bytes
 *
 * machine_counts is not a tracepoint: its probe is attached to local_timer_entry, and reads at each tick of a CPU how
 * many SMIs and NMIs this CPU has had. It makes a record when one of the counts has changed, and at the first tick, so
 * that there is a value to count from. smi stays 0 where the processor does not count them (Intel's do).
 *
 * ipi_send_* are tracepoints from Linux 6.4 on. On older kernels ftrace hooks the functions that send, and `callback`
 * is the sending function if the interrupt is a function call.
 */
#ifndef MAXLAT_TRACE_KERNEL_EVENTS_H
#define MAXLAT_TRACE_KERNEL_EVENTS_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAXLAT_TRACE_NAME_BYTES 16 /* of a task or an interrupt, as the kernel cuts them */

/* clang-format off */
#define MAXLAT_KERNEL_EVENTS(EVENT) \
  EVENT(1, sched, sched_switch, sched_switch) \
  EVENT(2, sched, sched_waking, task_woken) \
  EVENT(3, irq, irq_handler_entry, irq_handler_entry) \
  EVENT(4, irq, irq_handler_exit, irq_handler_exit) \
  EVENT(5, irq, softirq_entry, softirq) \
  EVENT(6, irq, softirq_exit, softirq) \
  EVENT(7, timer, hrtimer_expire_entry, hrtimer_expire_entry) \
  EVENT(8, timer, hrtimer_expire_exit, hrtimer_expire_exit) \
  EVENT(9, timer, timer_expire_entry, timer_expire_entry) \
  EVENT(10, timer, timer_expire_exit, timer_expire_exit) \
  EVENT(11, timer, tick_stop, tick_stop) \
  EVENT(12, sched, sched_wakeup, task_woken) \
  EVENT(13, sched, sched_wakeup_new, task_woken) \
  EVENT(14, sched, sched_migrate_task, sched_migrate_task) \
  EVENT(15, sched, sched_process_fork, sched_process_fork) \
  EVENT(16, sched, sched_process_exec, sched_process_exec) \
  EVENT(17, sched, sched_process_exit, sched_process_exit) \
  EVENT(18, task, task_rename, task_rename) \
  EVENT(19, nmi, nmi_handler, nmi_handler) \
  EVENT(20, ipi, ipi_send_cpu, ipi_send_cpu) \
  EVENT(21, ipi, ipi_send_cpumask, ipi_send_cpumask) \
  EVENT(22, exceptions, page_fault_user, page_fault) \
  EVENT(23, exceptions, page_fault_kernel, page_fault) \
  EVENT(24, workqueue, workqueue_execute_start, workqueue_execute_start) \
  EVENT(25, workqueue, workqueue_execute_end, workqueue_execute_end) \
  EVENT(26, rcu, rcu_utilization, rcu_utilization) \
  EVENT(27, raw_syscalls, sys_enter, sys_enter) \
  EVENT(28, raw_syscalls, sys_exit, sys_exit) \
  EVENT(29, irq_vectors, local_timer_entry, irq_vector) \
  EVENT(30, irq_vectors, local_timer_exit, irq_vector) \
  EVENT(31, irq_vectors, reschedule_entry, irq_vector) \
  EVENT(32, irq_vectors, reschedule_exit, irq_vector) \
  EVENT(33, irq_vectors, call_function_entry, irq_vector) \
  EVENT(34, irq_vectors, call_function_exit, irq_vector) \
  EVENT(35, irq_vectors, call_function_single_entry, irq_vector) \
  EVENT(36, irq_vectors, call_function_single_exit, irq_vector) \
  EVENT(37, irq_vectors, irq_work_entry, irq_vector) \
  EVENT(38, irq_vectors, irq_work_exit, irq_vector) \
  EVENT(39, irq_vectors, thermal_apic_entry, irq_vector) \
  EVENT(40, irq_vectors, thermal_apic_exit, irq_vector) \
  EVENT(41, irq_vectors, threshold_apic_entry, irq_vector) \
  EVENT(42, irq_vectors, threshold_apic_exit, irq_vector) \
  EVENT(43, irq_vectors, deferred_error_apic_entry, irq_vector) \
  EVENT(44, irq_vectors, deferred_error_apic_exit, irq_vector) \
  EVENT(45, irq_vectors, error_apic_entry, irq_vector) \
  EVENT(46, irq_vectors, error_apic_exit, irq_vector) \
  EVENT(47, irq_vectors, spurious_apic_entry, irq_vector) \
  EVENT(48, irq_vectors, spurious_apic_exit, irq_vector) \
  EVENT(49, irq_vectors, x86_platform_ipi_entry, irq_vector) \
  EVENT(50, irq_vectors, x86_platform_ipi_exit, irq_vector) \
  EVENT(51, sched, sched_pi_setprio, sched_pi_setprio) \
  EVENT(52, sched, sched_process_free, sched_process_free) \
  EVENT(53, machine, machine_counts, machine_counts)

#define MAXLAT_KERNEL_RECORDS(RECORD) \
  RECORD(sched_switch) \
  RECORD(task_woken) \
  RECORD(irq_handler_entry) \
  RECORD(irq_handler_exit) \
  RECORD(softirq) \
  RECORD(hrtimer_expire_entry) \
  RECORD(hrtimer_expire_exit) \
  RECORD(timer_expire_entry) \
  RECORD(timer_expire_exit) \
  RECORD(tick_stop) \
  RECORD(sched_migrate_task) \
  RECORD(sched_process_fork) \
  RECORD(sched_process_exec) \
  RECORD(sched_process_exit) \
  RECORD(task_rename) \
  RECORD(nmi_handler) \
  RECORD(ipi_send_cpu) \
  RECORD(ipi_send_cpumask) \
  RECORD(page_fault) \
  RECORD(workqueue_execute_start) \
  RECORD(workqueue_execute_end) \
  RECORD(rcu_utilization) \
  RECORD(sys_enter) \
  RECORD(sys_exit) \
  RECORD(irq_vector) \
  RECORD(sched_pi_setprio) \
  RECORD(sched_process_free) \
  RECORD(machine_counts)

#define MAXLAT_FIELDS_sched_switch(FIELD, ADDRESS, TEXT) \
  TEXT(prev_comm) FIELD(__s32, prev_tid) FIELD(__s32, prev_prio) FIELD(__s64, prev_state) \
  TEXT(next_comm) FIELD(__s32, next_tid) FIELD(__s32, next_prio)
#define MAXLAT_FIELDS_task_woken(FIELD, ADDRESS, TEXT) \
  TEXT(comm) FIELD(__s32, tid) FIELD(__s32, prio) FIELD(__s64, target_cpu)
#define MAXLAT_FIELDS_irq_handler_entry(FIELD, ADDRESS, TEXT) TEXT(name) FIELD(__s64, irq)
#define MAXLAT_FIELDS_irq_handler_exit(FIELD, ADDRESS, TEXT) FIELD(__s32, irq) FIELD(__s32, ret)
#define MAXLAT_FIELDS_softirq(FIELD, ADDRESS, TEXT) FIELD(__s64, vec)
/* lateness_ns: how long after it was due, by the timer's own clock. Negative: a task's timer slack let it come early */
#define MAXLAT_FIELDS_hrtimer_expire_entry(FIELD, ADDRESS, TEXT) \
  ADDRESS(hrtimer) ADDRESS(function) FIELD(__s64, lateness_ns)
#define MAXLAT_FIELDS_hrtimer_expire_exit(FIELD, ADDRESS, TEXT) ADDRESS(hrtimer)
/* lateness_ticks: of the kernel's clock tick (jiffies) */
#define MAXLAT_FIELDS_timer_expire_entry(FIELD, ADDRESS, TEXT) \
  ADDRESS(timer) ADDRESS(function) FIELD(__s64, lateness_ticks)
#define MAXLAT_FIELDS_timer_expire_exit(FIELD, ADDRESS, TEXT) ADDRESS(timer)
#define MAXLAT_FIELDS_tick_stop(FIELD, ADDRESS, TEXT) FIELD(__s32, success) FIELD(__s32, dependency)
#define MAXLAT_FIELDS_sched_migrate_task(FIELD, ADDRESS, TEXT) \
  TEXT(comm) FIELD(__s32, tid) FIELD(__s32, prio) FIELD(__s32, orig_cpu) FIELD(__s32, dest_cpu)
#define MAXLAT_FIELDS_sched_process_fork(FIELD, ADDRESS, TEXT) \
  TEXT(parent_comm) FIELD(__s32, parent_tid) FIELD(__s32, parent_pid) \
  TEXT(child_comm) FIELD(__s32, child_tid) FIELD(__s32, child_pid)
#define MAXLAT_FIELDS_sched_process_exec(FIELD, ADDRESS, TEXT) TEXT(comm) FIELD(__s32, tid) FIELD(__s32, old_tid)
#define MAXLAT_FIELDS_sched_process_exit(FIELD, ADDRESS, TEXT) TEXT(comm) FIELD(__s32, tid) FIELD(__s32, prio)
#define MAXLAT_FIELDS_task_rename(FIELD, ADDRESS, TEXT) \
  TEXT(oldcomm) TEXT(newcomm) FIELD(__s32, tid) FIELD(__s32, prio)
/* behind the handler, which took delta_ns */
#define MAXLAT_FIELDS_nmi_handler(FIELD, ADDRESS, TEXT) ADDRESS(handler) FIELD(__s64, delta_ns) FIELD(__s64, handled)
/* callsite: who sends; callback: what is to run there; 0: the target is to look at its tasks (reschedule) */
#define MAXLAT_FIELDS_ipi_send_cpu(FIELD, ADDRESS, TEXT) ADDRESS(callsite) ADDRESS(callback) FIELD(__s64, cpu)
/* cpus: a bit each of the first 64; above_63: 1 if there are others among them, which are not listed */
#define MAXLAT_FIELDS_ipi_send_cpumask(FIELD, ADDRESS, TEXT) \
  ADDRESS(callsite) ADDRESS(callback) ADDRESS(cpus) FIELD(__s64, above_63)
#define MAXLAT_FIELDS_page_fault(FIELD, ADDRESS, TEXT) ADDRESS(address) ADDRESS(ip) ADDRESS(error_code)
#define MAXLAT_FIELDS_workqueue_execute_start(FIELD, ADDRESS, TEXT) ADDRESS(work) ADDRESS(function)
#define MAXLAT_FIELDS_workqueue_execute_end(FIELD, ADDRESS, TEXT) ADDRESS(work) ADDRESS(function)
#define MAXLAT_FIELDS_rcu_utilization(FIELD, ADDRESS, TEXT) TEXT(s)
#define MAXLAT_FIELDS_sys_enter(FIELD, ADDRESS, TEXT) \
  FIELD(__s64, id) ADDRESS(arg0) ADDRESS(arg1) ADDRESS(arg2) ADDRESS(arg3) ADDRESS(arg4) ADDRESS(arg5)
#define MAXLAT_FIELDS_sys_exit(FIELD, ADDRESS, TEXT) FIELD(__s64, id) FIELD(__s64, ret)
#define MAXLAT_FIELDS_irq_vector(FIELD, ADDRESS, TEXT) FIELD(__s64, vector)
#define MAXLAT_FIELDS_sched_pi_setprio(FIELD, ADDRESS, TEXT) \
  TEXT(comm) FIELD(__s32, tid) FIELD(__s32, oldprio) FIELD(__s64, newprio)
#define MAXLAT_FIELDS_sched_process_free(FIELD, ADDRESS, TEXT) TEXT(comm) FIELD(__s32, tid) FIELD(__s32, prio)
/* of this CPU, since it was started */
#define MAXLAT_FIELDS_machine_counts(FIELD, ADDRESS, TEXT) FIELD(__s64, smi) FIELD(__s64, nmi)
/* clang-format on */

#define MAXLAT_KERNEL_FIELD(type, name) type name;
#define MAXLAT_KERNEL_ADDRESS(name) __u64 name;
#define MAXLAT_KERNEL_TEXT(name) char name[MAXLAT_TRACE_NAME_BYTES];
#define MAXLAT_KERNEL_RECORD(record)                                                            \
  struct maxlat_kernel_##record {                                                               \
    MAXLAT_FIELDS_##record(MAXLAT_KERNEL_FIELD, MAXLAT_KERNEL_ADDRESS, MAXLAT_KERNEL_TEXT)      \
  };
MAXLAT_KERNEL_RECORDS(MAXLAT_KERNEL_RECORD)
#undef MAXLAT_KERNEL_RECORD

#define MAXLAT_KERNEL_ID(id, group, name, record) MAXLAT_KERNEL_##name = id,
enum maxlat_kernel_event { MAXLAT_KERNEL_EVENTS(MAXLAT_KERNEL_ID) MAXLAT_KERNEL_BEHIND_LAST };
#undef MAXLAT_KERNEL_ID

#define MAXLAT_KERNEL_EVENT_COUNT (MAXLAT_KERNEL_BEHIND_LAST - 1)

#ifdef __cplusplus
}
#endif
#endif
