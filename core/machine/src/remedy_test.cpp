// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <algorithm>
#include <maxlat/core/machine/remedy.hpp>
#include <maxlat/core/machine/setting_readers.hpp>

#include "test_good_machine.hpp"

namespace maxlat::core {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Means = Remedy::Means;
using Standing = BootParameter::Standing;

const Setting& named(std::string_view name) {
  return *std::find_if(settings().begin(), settings().end(), [&](const Setting& s) { return s.name == name; });
}

Remedy remedy(const FakeMachine& root, std::string_view name) {
  return remedy_of(named(name), root.view({2, 3}));
}

std::vector<std::string> texts(const std::vector<BootParameter>& parameters) {
  std::vector<std::string> texts;
  for (const BootParameter& parameter : parameters) texts.push_back(parameter.text());
  return texts;
}

TEST(Remedy, NothingIsToBeDoneAboutAMachineAsTheTableWantsIt) {
  FakeMachine root;
  make_good(root);
  for (const Setting& setting : settings()) {
    const Remedy remedy = remedy_of(setting, root.view({2, 3}));
    EXPECT_EQ(remedy.means, Means::nothing) << setting.name;
    EXPECT_TRUE(remedy.writes.empty()) << setting.name;
  }
}

TEST(Remedy, OnlyTheFilesThatHoldSomethingElseWithWhatTheyHold) {
  FakeMachine root;
  make_good(root);
  root.file(cpu(3, "cpufreq/scaling_governor"), "powersave\n");
  const Remedy governor = remedy(root, "governor");
  EXPECT_EQ(governor.means, Means::write);
  ASSERT_EQ(governor.writes.size(), 1u);
  EXPECT_EQ(governor.writes[0].file.path, cpu(3, "cpufreq/scaling_governor"));
  EXPECT_EQ(governor.writes[0].file.value, "performance");
  EXPECT_EQ(governor.writes[0].before, "powersave");
}

// A defect: an interval of 120 s, which is right, was made 10 s by the shield.
TEST(Remedy, WhatIsRightInAnotherWayIsLeftAsItIs) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/sys/vm/stat_interval", "120\n");
  EXPECT_EQ(remedy(root, "statistics interval").means, Means::nothing);
}

TEST(Remedy, AParameterAPersonOrNothingWhereNoFileHelps) {
  FakeMachine root;
  make_good(root);
  root.file("/sys/devices/system/cpu/nohz_full", "\n");
  root.file("/proc/swaps", "Filename Type\n/dev/sda2 partition\n");
  root.file(cpu(3, "topology/thread_siblings_list"), "1,3\n");
  root.file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  EXPECT_EQ(remedy(root, "nohz_full").means, Means::reboot);
  EXPECT_EQ(remedy(root, "swap").means, Means::person);
  const Remedy siblings = remedy(root, "SMT siblings");
  EXPECT_EQ(siblings.means, Means::person) << "a CPU less is for a person to decide";
  EXPECT_THAT(siblings.seen.observed, HasSubstr("shares its core with CPU 1"));
  EXPECT_EQ(remedy(root, "clock source").means, Means::person) << "the kernel does not trust this tsc";
  root.remove("/proc/swaps");
  EXPECT_EQ(remedy(root, "swap").means, Means::nothing) << "what is not known";
}

TEST(Remedy, AManagedInterruptWaitsForAReboot) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/sys/kernel/osrelease", "6.12.9-rt\n");
  root.file("/proc/irq/24/effective_affinity_list", "3\n");
  root.file("/proc/irq/24/smp_affinity_list", "0-3\n");
  EXPECT_FALSE(remedy(root, "IRQ affinity").some_wait_for_reboot);
  root.file("/proc/irq/36/effective_affinity_list", "3\n");
  root.file("/proc/irq/36/smp_affinity_list", "2-3\n");
  std::filesystem::permissions(root.path() + "/proc/irq/36/smp_affinity_list", std::filesystem::perms::owner_read);
  const Remedy irqs = remedy(root, "IRQ affinity");
  EXPECT_EQ(irqs.means, Means::write);
  EXPECT_EQ(irqs.writes.size(), 1u);
  EXPECT_TRUE(irqs.some_wait_for_reboot);
}

// isolcpus= stands in two settings, with other words; irqaffinity= in two with the same.
TEST(BootParameters, EachOnceWithTheWordsOfAllItsSettings) {
  FakeMachine root;
  make_good(root);
  const auto parameters = boot_parameters(root.view({2, 3}));
  EXPECT_THAT(texts(parameters), ElementsAre("isolcpus=managed_irq,domain,2-3", "nohz_full=2-3", "rcu_nocbs=2-3",
                                             "irqaffinity=0-1", "transparent_hugepage=never"));
  EXPECT_THAT(parameters[0].settings, ElementsAre("isolated CPUs", "IRQ affinity"));
  EXPECT_THAT(parameters[3].settings, ElementsAre("IRQ affinity", "default IRQ affinity"));
}

TEST(BootParameters, WhatTheRunningKernelWasGivenIsTold) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/cmdline",
            "quiet isolcpus=domain,managed_irq,wq,2,3 nohz_full=1-3 irqaffinity=0,1 -- rcu_nocbs=2-3\n");
  const auto parameters = boot_parameters(root.view({2, 3}));
  EXPECT_EQ(parameters[0].standing, Standing::there) << "a word more, and the same CPUs written otherwise";
  EXPECT_EQ(parameters[1].standing, Standing::other);
  EXPECT_EQ(parameters[1].running, "1-3");
  EXPECT_EQ(parameters[2].standing, Standing::missing) << "behind -- it is init's";
  EXPECT_EQ(parameters[3].standing, Standing::there);
  root.file("/proc/cmdline", "isolcpus=2-3\n");
  EXPECT_EQ(boot_parameters(root.view({2, 3}))[0].standing, Standing::other) << "managed interrupts are not kept away";
}

TEST(BootParameters, OneWithoutAValueKeepsItsWholeName) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/cmdline", "quiet threadirqs\n");
  const Setting threads{.name = "threaded interrupts",
                        .group = "interrupts",
                        .expected = "on",
                        .why = "",
                        .boot = "threadirqs",
                        .read = {}};
  const Setting siblings{.name = "siblings", .group = "cpu", .expected = "off", .why = "", .boot = "nosmt", .read = {}};
  const Setting* both[] = {&threads, &siblings};
  const auto parameters = boot_parameters(both, root.view({2, 3}));
  EXPECT_THAT(texts(parameters), ElementsAre("threadirqs", "nosmt"));
  EXPECT_EQ(parameters[0].standing, Standing::there);
  EXPECT_EQ(parameters[1].standing, Standing::missing);
}

TEST(BootParameters, NoneThatNeedsAnotherCpuWhereEachIsMeasured) {
  FakeMachine root;
  make_good(root);
  EXPECT_THAT(
      texts(boot_parameters(root.view({0, 1, 2, 3}))),
      ElementsAre("isolcpus=managed_irq,domain,0-3", "nohz_full=0-3", "rcu_nocbs=0-3", "transparent_hugepage=never"));
}

// Lists and masks in what is written and booted, for machines of up to 1024 CPUs whose last half is measured.
TEST(Remedy, MasksAndListsOfOneTo1024Cpus) {
  FakeMachine root;
  root.file("/proc/irq/default_smp_affinity", "0\n");
  root.file("/proc/sys/kernel/watchdog_cpumask", "0\n");
  root.file("/sys/devices/virtual/workqueue/cpumask", "0\n");
  for (unsigned count = 1; count <= 1024; ++count) {
    CpuList measured, others;
    for (unsigned cpu = 0; cpu < count; ++cpu) (cpu < (count + 1) / 2 ? others : measured).push_back(cpu);
    root.file("/sys/devices/system/cpu/online", "0-" + std::to_string(count - 1) + "\n");
    MachineView machine = root.view(measured);
    machine.other_cpus = others;
    for (const auto& [name, as_mask] :
         {std::pair("default IRQ affinity", true), {"workqueues", true}, {"soft lockup watchdog", false}}) {
      const auto writes = writes_of(named(name), machine);
      ASSERT_EQ(writes.size(), 1u) << count;
      const auto cpus = as_mask ? parse_cpu_mask(writes[0].value) : parse_cpu_list(writes[0].value);
      ASSERT_EQ(*cpus, others) << count << ": " << writes[0].value;
    }
    if (measured.empty()) continue;
    // One interrupt that may go anywhere, one whose owner gave it the first CPU and the last, one of the last alone.
    const std::string last = std::to_string(count - 1);
    const std::pair<std::string, CpuList> irqs[] = {{"0-" + last, others}, {"0," + last, {0}}, {last, others}};
    for (size_t irq = 0; irq < std::size(irqs); ++irq)
      root.file("/proc/irq/" + std::to_string(irq) + "/smp_affinity_list", irqs[irq].first + "\n");
    const auto moved = writes_of(named("IRQ affinity"), machine);
    ASSERT_EQ(moved.size(), std::size(irqs)) << count;
    for (size_t irq = 0; irq < std::size(irqs); ++irq)
      ASSERT_EQ(*parse_cpu_list(moved[irq].value), irqs[irq].second) << count << ": interrupt of " << irqs[irq].first;
    for (const auto& [name, words] : {std::pair("nohz_full", "nohz_full="),
                                      {"rcu_nocbs", "rcu_nocbs="},
                                      {"isolated CPUs", "isolcpus=managed_irq,domain,"}}) {
      const auto boot = boot_words(named(name), machine);
      ASSERT_TRUE(boot.starts_with(words)) << boot;
      ASSERT_EQ(*parse_cpu_list(boot.substr(std::string_view(words).size())), measured) << boot;
    }
    const auto irqaffinity = boot_words(named("default IRQ affinity"), machine);
    ASSERT_EQ(irqaffinity, "irqaffinity=" + to_string(others));
  }
}

}  // namespace
}  // namespace maxlat::core
