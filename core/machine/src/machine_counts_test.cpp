// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/machine/machine_counts.hpp>
#include <maxlat/test/fake_root.hpp>

namespace maxlat::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class PaperMachine : public testing::Test {
 protected:
  void SetUp() override {
    root_.file("proc/stat",
               "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 0 0 0 0 0 0 250 0 0\ncpu11 1 0 0 0 0 0 0 7 0 0\nintr 5\n");
    root_.file("proc/cpuinfo", "model name : x hypervisor\nflags\t\t: fpu tsc\n");
  }
  // The msr device answers a read at the register's number.
  void put_smi(unsigned cpu, uint64_t count) {
    std::string registers(0x34, '\0');
    registers.append(reinterpret_cast<const char*>(&count), sizeof count);
    root_.file("dev/cpu/" + std::to_string(cpu) + "/msr", registers);
  }
  MachineCounts read() const { return read_machine_counts({0, 11}, root_.path()); }
  test::FakeRoot root_;
};

TEST_F(PaperMachine, StealTimeIsOfTheCpuAsked) {
  EXPECT_THAT(read().steal_s, ElementsAre(Pair(0u, 2.5), Pair(11u, 0.07)));
}

TEST_F(PaperMachine, WhatTheHostTookIsTold) {
  const MachineCounts before = read();
  root_.file("proc/stat", "cpu0 1 0 0 0 0 0 0 253 0 0\ncpu11 1 0 0 0 0 0 0 7 0 0\n");
  EXPECT_EQ(steal_text(machine_change(before, read())), "") << "there is no host";
  root_.file("proc/cpuinfo", "flags\t\t: fpu hypervisor tsc\n");
  EXPECT_EQ(steal_text(machine_change(before, read())),
            "30 ms of CPU 0, 0 ns of CPU 11: taken by the host, known to a tick of 10 ms only");
  root_.file("proc/stat", "");
  EXPECT_EQ(steal_text(machine_change(before, read())), "") << "not known";
}

TEST_F(PaperMachine, AGuestIsKnownByItsFlagsAlone) {
  EXPECT_FALSE(read().hypervisor);
  root_.file("proc/cpuinfo", "flags\t\t: fpu hypervisor tsc\n");
  EXPECT_TRUE(read().hypervisor);
}

TEST_F(PaperMachine, SmisWhereTheyCanBeRead) {
  EXPECT_THAT(read().smi, IsEmpty());
  EXPECT_THAT(smi_text(machine_change(read(), read())), HasSubstr("not readable"));
  put_smi(11, 40);
  const MachineCounts before = read();
  put_smi(11, 43);
  const MachineChange changed = machine_change(before, read());
  EXPECT_THAT(changed.smi, ElementsAre(Pair(11u, 3u)));
  EXPECT_EQ(smi_text(changed), "3 on CPU 11");
}

TEST_F(PaperMachine, TheSmiRegisterWrapsAtThirtyTwoBits) {
  put_smi(0, 0xffffffff);
  const MachineCounts before = read();
  put_smi(0, 1);
  EXPECT_THAT(machine_change(before, read()).smi, ElementsAre(Pair(0u, 2u)));
}

}  // namespace
}  // namespace maxlat::core
