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
  std::vector<CpuActivity> now() const { return activity_of({.root = root_.path(), .measured_cpus = {}}); }

  test::FakeRoot root_;
};

const CpuActivity& of_cpu(const std::vector<CpuActivity>& activity, unsigned cpu) {
  static const CpuActivity kNone{};
  for (const CpuActivity& each : activity)
    if (each.cpu == cpu) return each;
  ADD_FAILURE() << "CPU " << cpu << " is not there";
  return kNone;
}

// "(none)" where there is no such line.
Interruption line_of(const CpuActivity& cpu, const std::string& name) {
  for (const Interruption& line : cpu.counted)
    if (line.name == name) return line;
  return {.name = "(none)"};
}

TEST_F(CpuActivityTest, CountsAreThoseOfTheColumnsCpuAndNotOfItsPlace) {
  boot();
  const std::vector<CpuActivity> activity = now();
  ASSERT_EQ(activity.size(), 2u);
  const CpuActivity& cpu = of_cpu(activity, 2);
  EXPECT_EQ(line_of(cpu, "31").count, 3u);
  EXPECT_EQ(line_of(cpu, "LOC").count, 2000u);
  EXPECT_EQ(line_of(cpu, "TIMER").count, 20u);
  EXPECT_EQ(cpu.switches, 500u);
  EXPECT_EQ(of_cpu(activity, 0).switches, 69u);
}

TEST_F(CpuActivityTest, ALineIsNamedAfterItsHandlersAndOfOneKind) {
  boot();
  const std::vector<CpuActivity> activity = now();
  const CpuActivity& cpu = of_cpu(activity, 0);
  EXPECT_EQ(line_of(cpu, "8").what, "rtc0");
  EXPECT_EQ(line_of(cpu, "16").what, "ehci_hcd:usb1, i801_smbus");
  EXPECT_EQ(line_of(cpu, "31").what, "virtio1-input.0");
  EXPECT_EQ(line_of(cpu, "55").what, "dummy") << "no handler: the chip";
  EXPECT_EQ(line_of(cpu, "31").kind, Interruption::Kind::device);
  EXPECT_EQ(line_of(cpu, "LOC").kind, Interruption::Kind::timer);
  EXPECT_EQ(line_of(cpu, "40").kind, Interruption::Kind::timer) << "aarch64's, a line with a number";
  EXPECT_EQ(line_of(cpu, "RES").kind, Interruption::Kind::sent);
  EXPECT_EQ(line_of(cpu, "IPI3").kind, Interruption::Kind::sent);
  EXPECT_EQ(line_of(cpu, "MCP").kind, Interruption::Kind::other);
  EXPECT_EQ(line_of(cpu, "ERR").name, "(none)") << "counted for the machine, not for a CPU";
}

TEST_F(CpuActivityTest, BetweenTwoLooksOnlyWhatGrewIsLeft) {
  boot();
  const std::vector<CpuActivity> before = now();
  root_.file("/proc/interrupts",
             "            CPU0       CPU1       CPU2       \n"
             "  8:          1          0          2  IO-APIC   8-edge      rtc0\n"
             " 31:          0          1          1  PCI-MSIX-0000:00:04.0   1-edge      virtio1-input.0\n"
             "LOC:       1000          7       2010   Local timer interrupts\n");
  root_.file("/proc/schedstat", "cpu2 0 0 9 9 9 9 9 9 512\n");
  const std::vector<CpuActivity> activity = between(before, now());
  EXPECT_EQ(activity.size(), 2u) << "CPU 1 was offline at the first look";
  EXPECT_TRUE(of_cpu(activity, 0).counted.empty());
  EXPECT_EQ(of_cpu(activity, 0).switches, std::nullopt) << "not counted at the second look";
  const CpuActivity& cpu = of_cpu(activity, 2);
  EXPECT_EQ(line_of(cpu, "8").count, 2u);
  EXPECT_EQ(line_of(cpu, "31").count, 1u) << "the line began anew";
  EXPECT_EQ(cpu.count(Interruption::Kind::device), 3u);
  EXPECT_EQ(cpu.count(Interruption::Kind::timer), 10u);
  EXPECT_EQ(cpu.switches, 12u);
  EXPECT_EQ(cpu.interruptions(), 25u) << "3 of devices, 10 of the timer, 12 switches";
}

TEST_F(CpuActivityTest, ACounterOf32BitsGoesRound) {
  root_.file("/proc/interrupts", "            CPU0\nLOC: 4294967290   Local timer interrupts\n");
  const std::vector<CpuActivity> before = now();
  root_.file("/proc/interrupts", "            CPU0\nLOC: 4   Local timer interrupts\n");
  EXPECT_EQ(line_of(of_cpu(between(before, now()), 0), "LOC").count, 10u);
}

TEST_F(CpuActivityTest, WhatTheKernelDoesNotTellIsNotZero) {
  EXPECT_TRUE(now().empty());
  boot();
  root_.file("/proc/schedstat", "version 99\ncpu2 1 2 3\n");
  EXPECT_EQ(of_cpu(now(), 2).switches, std::nullopt);
}

TEST(CpuActivity, OfThisMachineEveryOnlineCpuHasALine) {
  const std::vector<CpuActivity> activity = activity_of({});
  if (activity.empty()) GTEST_SKIP() << "no /proc/interrupts here";
  const CpuList online = *online_cpus();
  for (const unsigned cpu : online) EXPECT_FALSE(of_cpus(activity, {cpu}).empty()) << cpu;
}

}  // namespace
}  // namespace maxlat::core
