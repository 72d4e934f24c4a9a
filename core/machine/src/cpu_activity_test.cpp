// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/core/machine/cpu_activity.hpp>
#include <maxlat/test/fake_root.hpp>

namespace maxlat::core {
namespace {

class CpuActivityTest : public testing::Test {
 protected:
  // CPU 1 is offline.
  void boot() {
    root_.file("/proc/interrupts",
               "            CPU0       CPU2       \n"
               "  8:          1          0  IO-APIC   8-edge      rtc0\n"
               " 16:         40          7  IO-APIC  16-fasteoi   ehci_hcd:usb1, i801_smbus\n"
               " 31:          0          3  PCI-MSIX-0000:00:04.0   1-edge      virtio1-input.0\n"
               " 40:          0          0  GICv3  27 Level     arch_timer\n"
               " 55:          2          2  dummy\n"
               "LOC:       1000       2000   Local timer interrupts\n"
               "RES:          5          6   Rescheduling interrupts\n"
               "MCP:          9          9   Machine check polls\n"
               "IPI3:         1          2   Timer broadcast interrupts\n"
               "ERR:          0\n");
    root_.file("/proc/softirqs",
               "                    CPU0       CPU2       \n"
               "       TIMER:         10         20\n"
               "         RCU:          1          1\n");
    root_.file("/proc/schedstat",
               "version 15\ntimestamp 4295000000\n"
               "cpu0 0 0 81 12 33 21 1182 41 69\ndomain0 05 1 2 3\n"
               "cpu2 0 0 9 9 9 9 9 9 500\n");
  }
  Activity now() const { return activity_of({.root = root_.path(), .measured_cpus = {}}); }

  test::FakeRoot root_;
};

TEST_F(CpuActivityTest, CountsAreThoseOfTheColumnsCpuAndNotOfItsPlace) {
  boot();
  const Activity activity = now();
  ASSERT_EQ(activity.size(), 2u);
  const CpuActivity& cpu = activity.at(2);
  EXPECT_EQ(cpu.interrupts.at("31").count, 3u);
  EXPECT_EQ(cpu.interrupts.at("LOC").count, 2000u);
  EXPECT_EQ(cpu.softirqs.at("TIMER"), 20u);
  EXPECT_EQ(cpu.switches, 500u);
  EXPECT_EQ(activity.at(0).switches, 69u);
}

TEST_F(CpuActivityTest, ALineIsNamedAfterItsHandlersAndOfOneKind) {
  boot();
  const auto lines = now().at(0).interrupts;
  EXPECT_EQ(lines.at("8").what, "rtc0");
  EXPECT_EQ(lines.at("16").what, "ehci_hcd:usb1, i801_smbus");
  EXPECT_EQ(lines.at("31").what, "virtio1-input.0");
  EXPECT_EQ(lines.at("55").what, "dummy") << "no handler: the chip";
  EXPECT_EQ(lines.at("31").kind, InterruptKind::device);
  EXPECT_EQ(lines.at("LOC").kind, InterruptKind::timer);
  EXPECT_EQ(lines.at("40").kind, InterruptKind::timer) << "aarch64's, a line with a number";
  EXPECT_EQ(lines.at("RES").kind, InterruptKind::sent);
  EXPECT_EQ(lines.at("IPI3").kind, InterruptKind::sent);
  EXPECT_EQ(lines.at("MCP").kind, InterruptKind::other);
  EXPECT_FALSE(lines.contains("ERR")) << "counted for the machine, not for a CPU";
}

TEST_F(CpuActivityTest, BetweenTwoLooksOnlyWhatGrewIsLeft) {
  boot();
  const Activity before = now();
  root_.file("/proc/interrupts",
             "            CPU0       CPU1       CPU2       \n"
             "  8:          1          0          2  IO-APIC   8-edge      rtc0\n"
             " 31:          0          1          1  PCI-MSIX-0000:00:04.0   1-edge      virtio1-input.0\n"
             "LOC:       1000          7       2010   Local timer interrupts\n");
  root_.file("/proc/schedstat", "cpu2 0 0 9 9 9 9 9 9 512\n");
  const Activity activity = between(before, now());
  EXPECT_EQ(activity.size(), 2u) << "CPU 1 was offline at the first look";
  EXPECT_TRUE(activity.at(0).interrupts.empty());
  EXPECT_EQ(activity.at(0).switches, std::nullopt) << "not counted at the second look";
  const CpuActivity& cpu = activity.at(2);
  EXPECT_EQ(cpu.interrupts.at("8").count, 2u);
  EXPECT_EQ(cpu.interrupts.at("31").count, 1u) << "the line began anew";
  EXPECT_EQ(interrupts_of(cpu, InterruptKind::device), 3u);
  EXPECT_EQ(interrupts_of(cpu, InterruptKind::timer), 10u);
  EXPECT_EQ(cpu.switches, 12u);
}

TEST_F(CpuActivityTest, ACounterOf32BitsGoesRound) {
  root_.file("/proc/interrupts", "            CPU0\nLOC: 4294967290   Local timer interrupts\n");
  const Activity before = now();
  root_.file("/proc/interrupts", "            CPU0\nLOC: 4   Local timer interrupts\n");
  EXPECT_EQ(between(before, now()).at(0).interrupts.at("LOC").count, 10u);
}

TEST_F(CpuActivityTest, WhatTheKernelDoesNotTellIsNotZero) {
  EXPECT_TRUE(now().empty());
  boot();
  root_.file("/proc/schedstat", "version 99\ncpu2 1 2 3\n");
  EXPECT_EQ(now().at(2).switches, std::nullopt);
}

TEST(CpuActivity, OfThisMachineEveryOnlineCpuHasALine) {
  const Activity activity = activity_of({});
  if (activity.empty()) GTEST_SKIP() << "no /proc/interrupts here";
  const CpuList online = *online_cpus();
  for (const unsigned cpu : online) EXPECT_TRUE(activity.contains(cpu)) << cpu;
}

}  // namespace
}  // namespace maxlat::core
