// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/attribution/lttng_names.hpp>

namespace maxlat::attribution {
namespace {

TEST(LttngNames, AreThoseOfTheKernelButForTheirRules) {
  EXPECT_EQ(lttng_event_name("sched", "sched_switch"), "sched_switch");
  EXPECT_EQ(lttng_event_name("irq", "irq_handler_entry"), "irq_handler_entry");
  EXPECT_EQ(lttng_event_name("irq", "softirq_raise"), "irq_softirq_raise");
  EXPECT_EQ(lttng_event_name("timer", "hrtimer_expire_entry"), "timer_hrtimer_expire_entry");
  EXPECT_EQ(lttng_event_name("timer", "timer_start"), "timer_start");
  EXPECT_EQ(lttng_event_name("irq_vectors", "local_timer_entry"), "x86_irq_vectors_local_timer_entry");
  EXPECT_EQ(lttng_event_name("exceptions", "page_fault_user"), "x86_exceptions_page_fault_user");
  EXPECT_EQ(lttng_event_name("syscalls", "sys_enter_openat"), "syscall_entry_openat");
  EXPECT_EQ(lttng_event_name("raw_syscalls", "sys_exit"), "syscall_exit_");  // the call's name follows
  EXPECT_EQ(lttng_event_name("kmem", "kmalloc"), "kmem_kmalloc");
  EXPECT_EQ(lttng_field_name("sched", "next_pid"), "next_tid");
  EXPECT_EQ(lttng_field_name("sched", "pid"), "tid");
  EXPECT_EQ(lttng_field_name("sched", "prio"), "prio");
  EXPECT_EQ(lttng_field_name("net", "pid"), "pid");
}

}  // namespace
}  // namespace maxlat::attribution
