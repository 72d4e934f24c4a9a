// SPDX-License-Identifier: MIT
// Records as the module writes them, by hand.
#include "module_events.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace maxlat::attribution {
namespace {

class ModuleEventsTest : public testing::Test {
 protected:
  template <class Fields>
  KernelEvent decode(uint32_t id, const Fields& fields) {
    bytes_.resize(sizeof fields);
    std::memcpy(bytes_.data(), &fields, sizeof fields);
    const auto event = events_.decode(
        {.tick = 1000, .cpu = 3, .type = &trace::kernel_event_types()[id - 1], .payload = bytes_.data()});
    EXPECT_TRUE(event);
    return event.value_or(KernelEvent{});
  }

  const ModuleEvents events_;
  std::vector<uint8_t> bytes_;
};

TEST_F(ModuleEventsTest, ASwitchNamesWhoRunsNextAndWasRecordedInWhoLeaves) {
  const KernelEvent event =
      decode(MAXLAT_KERNEL_sched_switch, maxlat_kernel_sched_switch{"npt", 77, 39, 0, "ksoftirqd/1", 21, 120});
  EXPECT_EQ(event.kind, EventKind::task_switch);
  EXPECT_EQ(event.tick, 1000u);
  EXPECT_EQ(event.number, 21);
  EXPECT_EQ(event.priority, 120);
  EXPECT_EQ(event.running, 77);
  EXPECT_EQ(event.name.text(), "ksoftirqd/1");
}

TEST_F(ModuleEventsTest, ThreadsAreCalledOtherwiseThanByTheKernel) {
  EXPECT_EQ(decode(MAXLAT_KERNEL_sched_waking, maxlat_kernel_task_woken{"sh", 9, 120, 1}).number, 9);
  const KernelEvent renamed = decode(MAXLAT_KERNEL_task_rename, maxlat_kernel_task_rename{"sh", "ls", 8, 120});
  EXPECT_EQ(renamed.number, 8);
  EXPECT_EQ(renamed.name.text(), "ls");
  EXPECT_EQ(renamed.running, -1);
}

TEST_F(ModuleEventsTest, InterruptsHaveTheirLineFunctionLengthAndUse) {
  const KernelEvent irq = decode(MAXLAT_KERNEL_irq_handler_entry, maxlat_kernel_irq_handler_entry{"eth0", 24});
  EXPECT_EQ(irq.kind, EventKind::irq_entry);
  EXPECT_EQ(irq.number, 24);
  EXPECT_EQ(irq.name.text(), "eth0");
  EXPECT_EQ(decode(MAXLAT_KERNEL_softirq_exit, maxlat_kernel_softirq{3}).number, 3);
  EXPECT_EQ(
      decode(MAXLAT_KERNEL_hrtimer_expire_entry, maxlat_kernel_hrtimer_expire_entry{1, 0xffffffff81000000, 5}).value,
      0xffffffff81000000);
  EXPECT_EQ(decode(MAXLAT_KERNEL_hrtimer_expire_entry, maxlat_kernel_hrtimer_expire_entry{1, 2, 5}).lateness_ns, 5);
  EXPECT_EQ(decode(MAXLAT_KERNEL_hrtimer_expire_entry, maxlat_kernel_hrtimer_expire_entry{1, 2, INT64_MAX}).lateness_ns,
            INT32_MAX);
  EXPECT_EQ(irq.lateness_ns, KernelEvent::kNoLateness);
  EXPECT_EQ(decode(MAXLAT_KERNEL_nmi_handler, maxlat_kernel_nmi_handler{1, 4500, 1}).value, 4500u);
  const KernelEvent vector = decode(MAXLAT_KERNEL_irq_work_entry, maxlat_kernel_irq_vector{0xf6});
  EXPECT_EQ(vector.kind, EventKind::vector_entry);
  EXPECT_EQ(vector.number, static_cast<int32_t>(VectorUse::irq_work));
}

// What the accounting takes by tracefs it takes by the module, too; no more is asked of it.
TEST_F(ModuleEventsTest, EveryMeaningIsAnEventOfTheModule) {
  EXPECT_EQ(static_cast<size_t>(__builtin_popcountll(ModuleEvents::wanted())), event_meanings().size());
  const maxlat_kernel_tick_stop fields{1, 0};
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&fields);
  EXPECT_FALSE(events_.decode({.type = &trace::kernel_event_types()[MAXLAT_KERNEL_tick_stop - 1], .payload = bytes}));
}

}  // namespace
}  // namespace maxlat::attribution
