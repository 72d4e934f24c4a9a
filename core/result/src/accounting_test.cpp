// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/core/result/accounting.hpp>
#include <maxlat/core/result/run_result.hpp>

namespace maxlat::core {
namespace {

const AccountedTime kIrq{.kind = TimeClass::irq, .name = "24 eth0", .ns = 61'000, .count = 1};
const AccountedTime kSoftirq{.kind = TimeClass::softirq, .name = "NET_RX", .ns = 20'000, .count = 1};
const AccountedTime kAround{.kind = TimeClass::around, .name = "", .ns = 1'000, .count = 2};
const AccountedTime kNothing{.kind = TimeClass::nothing_seen, .name = "", .ns = 2'000, .count = 1};

TEST(Accounting, PartsHaveTheNamesThatAPersonKnows) {
  EXPECT_EQ(name_of(kIrq), "irq 24 eth0");
  EXPECT_EQ(name_of(kNothing), "nothing seen: hardware or hypervisor");
  EXPECT_EQ(name_of({.kind = TimeClass::task, .name = "a (tid 5, nice 0)", .woken_by = "local timer"}),
            "task a (tid 5, nice 0), woken by local timer");
}

TEST(Accounting, TheLargestStandByName) {
  EXPECT_EQ(accounting_text({kIrq, kSoftirq}), "irq 24 eth0 61.0 us, softirq NET_RX 20.0 us");
  EXPECT_EQ(
      accounting_text({kIrq, kSoftirq, kNothing, kAround}),
      "irq 24 eth0 61.0 us, softirq NET_RX 20.0 us, nothing seen: hardware or hypervisor 2.00 us, around 1.00 us");
  EXPECT_EQ(accounting_text({kIrq, kIrq, kSoftirq, kNothing, kAround}),
            "irq 24 eth0 61.0 us, irq 24 eth0 61.0 us, softirq NET_RX 20.0 us, 2 others 3.00 us");
}

TEST(Accounting, TheCulpritHadMostOfItOrThereIsNone) {
  Outlier outlier;
  outlier.latency_ns = 84'000;
  outlier.accounting = {kIrq, kSoftirq, kNothing, kAround};
  ASSERT_NE(culprit_of(outlier), nullptr);
  EXPECT_EQ(name_of(*culprit_of(outlier)), "irq 24 eth0");
  outlier.latency_ns = 122'000;
  EXPECT_EQ(culprit_of(outlier), nullptr) << "half of it is not most of it";
  outlier.latency_ns = 2'000;
  outlier.accounting = {kNothing};
  EXPECT_EQ(culprit_of(outlier)->kind, TimeClass::nothing_seen);
  outlier.accounting = {{.kind = TimeClass::before_history, .name = "", .ns = 2'000, .count = 1}};
  EXPECT_EQ(culprit_of(outlier), nullptr) << "what is lost accuses nobody";
  outlier.accounting = {{.kind = TimeClass::task, .name = kIdleTask, .ns = 2'000, .count = 1}};
  EXPECT_EQ(culprit_of(outlier), nullptr) << "nobody else wanted the CPU";
  outlier.accounting = {{.kind = TimeClass::task, .name = "idle (tid 7, nice 0)", .ns = 2'000, .count = 1}};
  EXPECT_NE(culprit_of(outlier), nullptr) << "a program that is called so is another";
}

TEST(Accounting, AWakeupIsToldStepByStep) {
  LateWakeup wakeup{.latency_ns = 84'000, .handler_ns = 1'500, .waking_ns = 2'500, .others_ns = 80'000};
  EXPECT_EQ(split_text(wakeup), "handler 1.50 us, waking 2.50 us, others running 80.0 us")
      << "when it was due is not known";
  wakeup.late_interrupt_ns = 0;
  EXPECT_EQ(split_text(wakeup), "late interrupt 0 ns, handler 1.50 us, waking 2.50 us, others running 80.0 us");
  wakeup.accounting = {kIrq, kSoftirq, kNothing, kAround};
  ASSERT_NE(culprit_of(wakeup), nullptr);
  EXPECT_EQ(name_of(*culprit_of(wakeup)), "irq 24 eth0");
}

}  // namespace
}  // namespace maxlat::core
