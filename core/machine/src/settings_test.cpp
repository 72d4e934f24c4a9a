// SPDX-License-Identifier: MIT
//
// Every row of the table on fake machines: a good one, a bad one, and one where nothing can be read. CPUs 2 and 3 are
// measured; what is bad is mostly bad on CPU 3 only, because a reader that looks at one CPU must not get through.
#include <gmock/gmock.h>
#include <utmp.h>

#include <algorithm>
#include <cstring>
#include <maxlat/core/machine/settings.hpp>
#include <set>

#include "test_good_machine.hpp"

namespace maxlat::core {
namespace {

using Judgement = SettingObservation::Verdict;
using ::testing::HasSubstr;

TEST(Settings, TheTableIsWhole) {
  std::set<std::string_view> names;
  for (const Setting& setting : settings()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_FALSE(setting.group.empty() || setting.why.empty()) << setting.name;
    if (!setting.expected.empty()) {
      EXPECT_FALSE(setting.set.empty() && setting.set_here == nullptr && setting.boot.empty() && setting.fix.empty())
          << setting.name;
    }
  }
  EXPECT_GE(names.size(), 30u);
}

TEST(Settings, NothingIsBadOrUnknownOnAGoodMachine) {
  FakeMachine root;
  make_good(root);
  for (const SettingObservation& row : observe_all(root.view({2, 3})))
    EXPECT_TRUE(row.verdict == Judgement::ok || row.verdict == Judgement::info) << row.name << ": " << row.observed;
  EXPECT_TRUE(not_comparable(root.view({2, 3})).empty());
}

// A setting that cannot be read is unknown, never ok.
TEST(Settings, EverythingIsUnknownWhereNothingCanBeRead) {
  const FakeMachine root;
  for (const SettingObservation& row : observe_all(root.view({2, 3}))) {
    EXPECT_EQ(row.verdict, Judgement::unknown) << row.name << ": " << row.observed;
    EXPECT_THAT(row.observed, testing::StartsWith("unknown")) << row.name;
  }
  EXPECT_EQ(not_comparable(root.view({2, 3})).size(), 3u);
}

TEST(Settings, RealTimeTasksAboveTheMeters) {
  FakeMachine root;
  make_good(root);
  const auto add = [&](unsigned tid, const std::string& comm, unsigned priority, unsigned policy,
                       const std::string& cpus, unsigned long flags = 0) {
    const std::string path = "/proc/" + std::to_string(tid) + "/task/" + std::to_string(tid);
    root.file(path + "/stat", stat_line(tid, comm, flags, priority, policy));
    root.file(path + "/status", "Name:\t" + comm + "\nCpus_allowed_list:\t" + cpus + "\nMems_allowed_list:\t0\n");
  };
  constexpr unsigned long kKernel = 0x00200000;
  add(15, "migration/2", 99, 1, "2", kKernel);
  add(20, "elsewhere", 99, 1, "0-1");
  add(21, "below", 95, 1, "2");
  add(22, "not real-time", 0, 0, "2");
  EXPECT_EQ(observed(root, "real-time tasks").verdict, Judgement::ok);
  add(23, "hog", 99, 1, "3");
  add(24, "rr", 96, 2, "0-3");
  add(25, "deadline", 0, 6, "2-3");
  add(26, "watchdog/2", 99, 1, "2", kKernel);
  const auto row = observed(root, "real-time tasks");
  EXPECT_EQ(row.verdict, Judgement::bad);
  EXPECT_EQ(row.observed,
            "hog (SCHED_FIFO 99, bound to CPU 3), rr (SCHED_RR 96, may run on CPU 0-3), "
            "deadline (SCHED_DEADLINE, bound to CPU 2-3), watchdog/2 (SCHED_FIFO 99, bound to CPU 2)");
}

// Root was told that it is for root.
TEST(Settings, TracefsThatIsNotMountedIsSaidWithTheCommand) {
  FakeMachine root;
  make_good(root);
  root.remove("/sys/kernel/tracing");
  root.file("/proc/self/mounts", "proc /proc proc rw 0 0\n");
  EXPECT_EQ(observed(root, "kernel tracers").observed,
            "unknown (tracefs is not mounted: mount -t tracefs tracefs /sys/kernel/tracing)");
  root.file("/proc/self/mounts", "tracefs /sys/kernel/tracing tracefs rw 0 0\n");
  EXPECT_EQ(observed(root, "kernel tracers").observed, "unknown (tracefs can be read by root only)");
}

// Files that are there and hold nothing, or rubbish, are not readings either.
TEST(Settings, NothingIsOkWhereEveryFileIsRubbish) {
  for (const char* rubbish : {"", "\n", "rubbish\n", "-\n", "\xff\xfe"}) {
    FakeMachine root;
    make_good(root);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root.path()))
      if (entry.is_regular_file()) std::ofstream(entry.path(), std::ios::binary) << rubbish;
    for (const SettingObservation& row : observe_all(root.view({2, 3}))) {
      // What is told by what is not there (no daemon, no bad word, an interrupt that goes nowhere) stays so.
      static const std::set<std::string> kByAbsence{"disturbers",           "kernel debugging",   "swap",
                                                    "virtualisation",       "logged-in sessions", "IRQ affinity",
                                                    "soft lockup watchdog", "irqbalance"};
      if (kByAbsence.count(row.name) == 0) {
        EXPECT_NE(row.verdict, Judgement::ok) << row.name << ": " << row.observed << " from '" << rubbish << "'";
      }
    }
  }
}

struct BadCase {
  const char* setting;
  const char* path;
  const char* text;
  const char* observed;  // in the observed text
};

class SettingsBad : public testing::TestWithParam<BadCase> {};

TEST_P(SettingsBad, OneFileMakesItBad) {
  const BadCase& bad = GetParam();
  FakeMachine root;
  make_good(root);
  ASSERT_NE(observed(root, bad.setting).verdict, Judgement::bad);
  root.file(bad.path, bad.text);
  const SettingObservation row = observed(root, bad.setting);
  EXPECT_EQ(row.verdict, Judgement::bad) << row.observed;
  EXPECT_THAT(row.observed, HasSubstr(bad.observed));
  EXPECT_FALSE(row.fix.empty());
}

// What the table would have written is what its own readers call good. What has to be done by a reboot or a person says
// so.
TEST_P(SettingsBad, WhatTheTableWritesMakesItGood) {
  const BadCase& bad = GetParam();
  FakeMachine root;
  make_good(root);
  root.file(bad.path, bad.text);
  const MachineView machine = root.view({2, 3});
  const auto setting =
      std::find_if(settings().begin(), settings().end(), [&](const Setting& s) { return s.name == bad.setting; });
  const std::vector<FileWrite> writes = writes_of(*setting, machine);
  if (writes.empty()) {
    EXPECT_FALSE(setting->boot.empty() && setting->fix.empty());
    return;
  }
  for (const FileWrite& write : writes) {
    root.file(write.path, write.value + "\n");
    EXPECT_TRUE(is_written(write, machine)) << write.path;
    EXPECT_THAT(observe(*setting, machine).fix, HasSubstr(write.value)) << write.path;
  }
  // Where an interrupt goes is the kernel's to say, and so is which CPUs share a core with one that is offline.
  root.file("/proc/irq/24/effective_affinity_list", "0-1\n");
  root.file("/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "3\n");
  EXPECT_EQ(observe(*setting, machine).verdict, Judgement::ok) << observe(*setting, machine).observed;
}

constexpr const char* kCpu3 = "/sys/devices/system/cpu/cpu3/";
INSTANTIATE_TEST_SUITE_P(
    Table, SettingsBad,
    testing::Values(
        BadCase{"preemption model", "/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n", "PREEMPT_DYNAMIC"},
        BadCase{"preemption model", "/proc/sys/kernel/version", "#1 SMP Debian\n", "no preemption"},
        BadCase{"RT throttling", "/proc/sys/kernel/sched_rt_runtime_us", "950000\n", "50"},
        BadCase{"NMI watchdog", "/proc/sys/kernel/nmi_watchdog", "1\n", "1"},
        BadCase{"soft lockup watchdog", "/proc/sys/kernel/watchdog_cpumask", "0-1,3\n", "3"},
        BadCase{"timer migration", "/proc/sys/kernel/timer_migration", "1\n", "1"},
        BadCase{"kernel tracers", "/sys/kernel/tracing/current_tracer", "function\n", "function"},
        BadCase{"kernel tracers", "/sys/kernel/tracing/events/enable", "X\n", "events"},
        BadCase{"kernel debugging", "/proc/lockdep_stats", "\n", "lockdep"},
        BadCase{"kernel debugging", "/proc/cmdline", "slub_debug=FZP\n", "slab"},
        BadCase{"isolated CPUs", "/sys/devices/system/cpu/isolated", "2\n", "not CPU 3"},
        BadCase{"isolated CPUs", "/sys/devices/system/cpu/isolated", "\n", "none"},
        BadCase{"nohz_full", "/sys/devices/system/cpu/nohz_full", "(null)\n", "none"},
        BadCase{"nohz_full", "/sys/devices/system/cpu/nohz_full", "2,4-7\n", "not CPU 3"},
        BadCase{"rcu_nocbs", "/proc/cmdline", "quiet rcu_nocbs=2\n", "not CPU 3"},
        BadCase{"rcu_nocbs", "/proc/cmdline", "quiet -- rcu_nocbs=2-3\n", "none"},
        BadCase{"workqueues", "/sys/devices/virtual/workqueue/cpumask", "b\n", "0-1,3"},
        BadCase{"IRQ affinity", "/proc/irq/24/effective_affinity_list", "3\n", "1 of 2: 24 (eth0)"},
        BadCase{"IRQ affinity", "/proc/irq/25/smp_affinity_list", "0-3\n", "1 of 2: 25"},
        BadCase{"default IRQ affinity", "/proc/irq/default_smp_affinity", "ff\n", "0-7"},
        BadCase{"energy preference", "/sys/devices/system/cpu/cpu3/cpufreq/energy_performance_preference",
                "balance_performance\n", "performance (CPU 2), balance_performance (CPU 3)"},
        BadCase{"governor", "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n",
                "performance (CPU 2), powersave (CPU 3)"},
        BadCase{"turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n", "on"},
        BadCase{"idle states", "/sys/devices/system/cpu/cpu3/cpuidle/state2/disable", "0\n", "C6, 133 us (CPU 3)"},
        BadCase{"SMT siblings", "/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n", "CPU 1"},
        BadCase{"temperature", "/sys/class/hwmon/hwmon0/temp1_input", "91000\n", "91 C"},
        BadCase{"temperature", "/sys/devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", "7\n",
                "throttled 7 times"},
        BadCase{"machine check polling", "/sys/devices/system/machinecheck/machinecheck3/check_interval", "300\n",
                "every 300 s"},
        BadCase{"clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", "hpet"},
        BadCase{"transparent huge pages", "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n",
                "always"},
        BadCase{"swap", "/proc/swaps", "Filename Type\n/dev/sda2 partition 1 0 -2\n", "/dev/sda2"},
        BadCase{"NUMA balancing", "/proc/sys/kernel/numa_balancing", "1\n", "on"},
        BadCase{"same-page merging", "/sys/kernel/mm/ksm/run", "1\n", "on"},
        BadCase{"statistics interval", "/proc/sys/vm/stat_interval", "1\n", "1 s"},
        BadCase{"virtualisation", "/sys/class/dmi/id/product_name", "KVM Virtual Machine\n", "KVM"},
        BadCase{"virtualisation", "/sys/hypervisor/type", "xen\n", "xen"},
        BadCase{"disturbers", "/proc/77/comm", "tuned\n", "tuned"},
        BadCase{"disturbers", "/proc/77/comm", "unattended-upgr\n", "unattended-upgr"},
        BadCase{"logged-in sessions", "/run/systemd/sessions/5", "STATE=online\nTYPE=tty\nCLASS=user\n", "2"},
        BadCase{"logged-in sessions", "/run/systemd/sessions/5", "STATE=active\nTYPE=wayland\nCLASS=user\n",
                "1 graphical"}));

TEST(Settings, OneUnreadableCpuMakesItUnknown) {
  FakeMachine root;
  make_good(root);
  root.remove(std::string(kCpu3) + "cpufreq");
  EXPECT_EQ(observed(root, "governor").verdict, Judgement::unknown);
  EXPECT_THAT(observed(root, "governor").observed, HasSubstr("unknown (CPU 3)"));
  root.file(cpu(2, "cpufreq/scaling_governor"), "powersave\n");
  EXPECT_EQ(observed(root, "governor").verdict, Judgement::bad);  // bad is known
}

// acpi-cpufreq and others have no preference: nothing is unknown about it, and nothing to be done.
TEST(Settings, ADriverWithoutAnEnergyPreferenceIsNotUnknown) {
  FakeMachine root;
  make_good(root);
  for (const unsigned each : {2u, 3u}) root.remove(cpu(each, "cpufreq/energy_performance_preference"));
  EXPECT_EQ(observed(root, "energy preference").verdict, Judgement::info);
  root.remove(std::string(kCpu3) + "cpufreq");
  EXPECT_EQ(observed(root, "energy preference").verdict, Judgement::unknown);
}

TEST(Settings, CpusThatAreNotMeasuredDoNotMatter) {
  FakeMachine root;
  make_good(root);
  root.file(cpu(0, "cpufreq/scaling_governor"), "powersave\n");
  root.file("/proc/irq/24/effective_affinity_list", "1\n");
  EXPECT_EQ(observed(root, "governor").verdict, Judgement::ok);
  EXPECT_EQ(observed(root, "IRQ affinity").verdict, Judgement::ok);
}

TEST(Settings, EveryOnlineCpuIsMeasuredWhenNoneIsNamed) {
  FakeMachine root;
  make_good(root);
  EXPECT_EQ(root.view({}).measured(), (CpuList{0, 1, 2, 3}));
}

TEST(Settings, PreemptionModelInItsThreeSpellings) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/sys/kernel/version", "#1 SMP PREEMPT RT Thu\n");  // patches before 5.x
  EXPECT_EQ(observed(root, "preemption model").verdict, Judgement::ok);
  root.file("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n");
  root.file("/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
  EXPECT_EQ(observed(root, "preemption model").observed, "PREEMPT_DYNAMIC, full");
  root.file("/sys/kernel/realtime", "1\n");
  EXPECT_EQ(observed(root, "preemption model").verdict, Judgement::ok);
}

// Defect this watches: a hypervisor that gives its guest no DMI.
TEST(Settings, TheHypervisorBitOfOneCpuIsEnough) {
  FakeMachine root;
  make_good(root);
  root.remove("/sys/class/dmi");
  EXPECT_EQ(observed(root, "virtualisation").verdict, Judgement::ok);
  root.file("/proc/cpuinfo", cpuinfo("constant_tsc nonstop_tsc hypervisor"));
  EXPECT_EQ(observed(root, "virtualisation").verdict, Judgement::bad);
  EXPECT_THAT(not_comparable(root.view({2})), testing::ElementsAre(HasSubstr("virtual machine")));
}

TEST(Settings, VirtualisationOfAProcessorWithoutThatBit) {
  FakeMachine root;
  root.file("/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\n");
  EXPECT_EQ(observed(root, "virtualisation").verdict, Judgement::unknown);
  root.file("/proc/device-tree/compatible", "linux,dummy-virt");
  EXPECT_EQ(observed(root, "virtualisation").verdict, Judgement::bad);
  root.file("/proc/device-tree/compatible", "raspberrypi,4-model-b");
  EXPECT_EQ(observed(root, "virtualisation").verdict, Judgement::ok);
}

TEST(Settings, TheCounterOfEveryMeasuredCpu) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/cpuinfo", cpuinfo("tsc"));
  EXPECT_EQ(observed(root, "counter").verdict, Judgement::bad);
  root.file("/proc/cpuinfo", cpuinfo("constant_tsc"));
  EXPECT_THAT(observed(root, "counter").observed, HasSubstr("stops in idle states"));
  root.file("/proc/cpuinfo", "processor\t: 2\nflags\t: constant_tsc nonstop_tsc\n");
  EXPECT_EQ(observed(root, "counter").verdict, Judgement::unknown);  // CPU 3 is not there
  root.file("/proc/cpuinfo", "processor\t: 2\nCPU architecture: 8\n\nprocessor\t: 3\nCPU architecture: 8\n");
  EXPECT_EQ(observed(root, "counter").verdict, Judgement::ok);
}

TEST(Settings, ADroppedTscIsNamed) {
  FakeMachine root;
  make_good(root);
  root.file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  root.file("/sys/devices/system/clocksource/clocksource0/available_clocksource", "hpet acpi_pm\n");
  EXPECT_THAT(observed(root, "clock source").observed, HasSubstr("does not trust tsc"));
  root.file("/proc/cmdline", "quiet tsc=unstable\n");
  EXPECT_THAT(observed(root, "clock source").observed, HasSubstr("booted with tsc=unstable"));
}

TEST(Settings, MicrocodeDiffersBetweenCpus) {
  FakeMachine root;
  make_good(root);
  EXPECT_EQ(observed(root, "microcode").observed, "0x42");
  root.file("/proc/cpuinfo", cpuinfo("tsc", "0x43"));
  EXPECT_EQ(observed(root, "microcode").verdict, Judgement::bad);
}

TEST(Settings, CgroupPartitionsAndNocbsIsolateToo) {
  FakeMachine root;
  make_good(root);
  root.file("/sys/devices/system/cpu/isolated", "\n");
  root.file("/sys/fs/cgroup/cpuset.cpus.isolated", "2-3\n");
  EXPECT_EQ(observed(root, "isolated CPUs").verdict, Judgement::ok);
  // Before Linux 6.7 only the partition itself tells.
  root.remove("/sys/fs/cgroup/cpuset.cpus.isolated");
  root.file("/sys/fs/cgroup/shield/cpuset.cpus.effective", "2-3\n");
  root.file("/sys/fs/cgroup/shield/cpuset.cpus.partition", "root\n");
  EXPECT_EQ(observed(root, "isolated CPUs").verdict, Judgement::bad);
  root.file("/sys/fs/cgroup/shield/cpuset.cpus.partition", "isolated\n");
  EXPECT_EQ(observed(root, "isolated CPUs").verdict, Judgement::ok);
  for (const char* command_line : {"nohz_full=1-3", "rcu_nocbs", "rcu_nocbs=2 nohz_full=3"}) {
    root.file("/proc/cmdline", command_line);
    EXPECT_EQ(observed(root, "rcu_nocbs").verdict, Judgement::ok) << command_line;
  }
}

TEST(Settings, KernelWithoutNohzFull) {
  FakeMachine root;
  make_good(root);
  root.remove("/sys/devices/system/cpu/nohz_full");
  EXPECT_EQ(observed(root, "nohz_full").verdict, Judgement::bad);
  root.file("/proc/cmdline", "nohz_full=2-3");
  EXPECT_EQ(observed(root, "nohz_full").verdict, Judgement::unknown);
}

// Another tool traces in an instance, which the top directory does not show.
TEST(Settings, TracersInInstances) {
  FakeMachine root;
  make_good(root);
  root.file("/sys/kernel/tracing/instances/other/current_tracer", "hwlat\n");
  root.file("/sys/kernel/tracing/instances/other/events/enable", "1\n");
  const auto row = observed(root, "kernel tracers");
  EXPECT_EQ(row.verdict, Judgement::bad);
  EXPECT_EQ(row.observed, "hwlat, events in other");
}

TEST(Settings, TurboOfOtherDrivers) {
  FakeMachine root;
  make_good(root);
  root.remove("/sys/devices/system/cpu/intel_pstate");
  EXPECT_EQ(observed(root, "turbo").verdict, Judgement::unknown);
  root.file(cpu(2, "cpufreq/boost"), "0\n");
  root.file(cpu(3, "cpufreq/boost"), "1\n");
  EXPECT_EQ(observed(root, "turbo").verdict, Judgement::bad);
  root.file("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  EXPECT_EQ(observed(root, "turbo").verdict, Judgement::ok);
  root.file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(observed(root, "turbo").fix, "echo 0 | tee /sys/devices/system/cpu/cpu{2,3}/cpufreq/boost");
  root.file(cpu(3, "cpufreq/boost"), "0\n");
  EXPECT_EQ(observed(root, "turbo").verdict, Judgement::ok) << "the policies' own switches count";
}

TEST(Settings, AllIdleStatesOff) {
  FakeMachine root;
  make_good(root);
  for (const unsigned number : {2u, 3u})
    for (const char* state : {"state0", "state1"})
      root.file(cpu(number, std::string("cpuidle/") + state + "/disable"), "1\n");
  EXPECT_EQ(observed(root, "idle states").verdict, Judgement::ok);
  EXPECT_EQ(observed(root, "idle states").observed, "none, 0 us");
}

TEST(Settings, IdleLatencyLimitIsBinary) {
  FakeMachine root;
  make_good(root);
  EXPECT_EQ(observed(root, "idle latency limit").observed, "no limit");
  root.file("/dev/cpu_dma_latency", std::string("\x0a\x00\x00\x00", 4));  // 10, which is also a line feed
  EXPECT_EQ(observed(root, "idle latency limit").observed, "10 us");
}

TEST(Settings, SessionsFromUtmpWithoutSystemd) {
  FakeMachine root;
  utmp boot{}, person{};
  boot.ut_type = BOOT_TIME;
  person.ut_type = USER_PROCESS;
  const auto bytes = [](const utmp& entry) { return std::string(reinterpret_cast<const char*>(&entry), sizeof entry); };
  root.file("/run/utmp", bytes(boot) + bytes(person));
  EXPECT_EQ(observed(root, "logged-in sessions").verdict, Judgement::ok);
  root.file("/run/utmp", bytes(boot) + bytes(person) + bytes(person) + "cut off");
  EXPECT_EQ(observed(root, "logged-in sessions").verdict, Judgement::bad);
}

TEST(Settings, SessionsThatAreNotPeople) {
  FakeMachine root;
  make_good(root);
  root.file("/run/systemd/sessions/4", "STATE=closing\nTYPE=tty\nCLASS=user\n");
  root.file("/run/systemd/sessions/c1", "STATE=active\nTYPE=unspecified\nCLASS=manager\n");
  EXPECT_EQ(observed(root, "logged-in sessions").observed, "1");
}

TEST(Settings, FixesAreCommandsForThisMachine) {
  FakeMachine root;
  make_good(root);
  EXPECT_EQ(observed(root, "governor").fix,
            "echo performance | tee /sys/devices/system/cpu/cpu{2,3}/cpufreq/scaling_governor; "
            "a power daemon may write it back, so look again");
  EXPECT_THAT(observed(root, "turbo").fix, HasSubstr("echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"));
  EXPECT_THAT(observed(root, "nohz_full").fix, HasSubstr("nohz_full=2-3 on the kernel command line"));
  EXPECT_THAT(observed(root, "workqueues").fix, HasSubstr("echo 3 > /sys/devices/virtual/workqueue/cpumask"));
  root.file("/proc/irq/24/effective_affinity_list", "3\n");
  root.file("/proc/irq/24/smp_affinity_list", "0-3\n");
  root.file("/proc/irq/125/smp_affinity_list", "2\n");
  EXPECT_THAT(observed(root, "IRQ affinity").fix,
              HasSubstr("echo 0-1 | tee /proc/irq/{24,125}/smp_affinity_list, or "));
}

// A defect: the fix was to take the CPU offline that keeps house.
TEST(Settings, ASiblingThatKeepsHouseIsNotTakenOffline) {
  FakeMachine root;
  make_good(root);
  const std::string file = "/sys/devices/system/cpu/cpu3/topology/thread_siblings_list";
  root.file(file, "0,3\n");
  EXPECT_THAT(observed(root, "SMT siblings").fix, testing::Not(HasSubstr("cpu0/online")));
  EXPECT_THAT(observed(root, "SMT siblings").fix, HasSubstr("maxlat shield on --smt"));
  root.file(file, "1,3\n");
  EXPECT_THAT(observed(root, "SMT siblings").fix, HasSubstr("echo 0 > /sys/devices/system/cpu/cpu1/online"));
  MachineView machine = root.view({2, 3});
  machine.other_cpus = {0, 1};
  const auto row = std::find_if(settings().begin(), settings().end(),
                                [](const Setting& setting) { return setting.name == "SMT siblings"; });
  EXPECT_THAT(writes_of(*row, machine), testing::IsEmpty());
}

// A defect: Linux 6.12 may warn at this write, and the box was down.
TEST(Settings, TheFairServerIsNotWrittenWhereAWarningIsAPanic) {
  FakeMachine root;
  make_good(root);
  root.file("/sys/kernel/debug/sched/fair_server/cpu3/runtime", "50000000\n");
  root.file("/proc/sys/kernel/panic_on_warn", "0\n");
  EXPECT_THAT(observed(root, "RT throttling").fix, HasSubstr("fair_server/cpu3/runtime"));
  root.file("/proc/sys/kernel/panic_on_warn", "1\n");
  EXPECT_THAT(observed(root, "RT throttling").fix, testing::Not(HasSubstr("fair_server")));
}

// It undoes the masks of a shield, unless it was told which CPUs to leave alone, in one of three ways.
TEST(Settings, IrqbalanceIsBadWhereItDoesNotLeaveTheMeasuredCpusAlone) {
  FakeMachine root;
  make_good(root);
  EXPECT_EQ(observed(root, "irqbalance").observed, "none seen");
  root.file("/proc/77/comm", "irqbalance\n");
  EXPECT_EQ(observed(root, "irqbalance").verdict, Judgement::unknown) << "its environment is root's";
  const auto with = [&](std::string environment) {
    root.file("/proc/77/environ", std::move(environment));
    return observed(root, "irqbalance");
  };
  using namespace std::string_literals;
  EXPECT_EQ(with("LANG=C\0"s).observed, "runs, and leaves alone CPU 2-3") << "the kernel isolates them at boot";
  EXPECT_EQ(with("LANG=C\0IRQBALANCE_BANNED_CPULIST=2\0X=\0"s).verdict, Judgement::bad) << "and not CPU 3";
  EXPECT_EQ(with("IRQBALANCE_BANNED_CPULIST=1-3\0X=\0"s).verdict, Judgement::ok);
  EXPECT_EQ(with("IRQBALANCE_BANNED_CPUS=c\0"s).verdict, Judgement::ok);
  EXPECT_EQ(with("IRQBALANCE_BANNED_CPUS=rubbish\0"s).verdict, Judgement::unknown);
  root.file("/sys/devices/system/cpu/isolated", "\n");
  root.file("/sys/devices/system/cpu/nohz_full", "\n");
  const auto row = with("LANG=C\0"s);
  EXPECT_EQ(row.observed, "runs, on every CPU");
  EXPECT_EQ(row.verdict, Judgement::bad);
  EXPECT_THAT(row.fix, HasSubstr("echo IRQBALANCE_BANNED_CPULIST=2-3 >> /etc/default/irqbalance"));
  root.file("/proc/77/task/77/status", "Name:\tirqbalance\nState:\tS (sleeping)\nTgid:\t77\n");
  EXPECT_EQ(observed(root, "irqbalance").verdict, Judgement::bad);
  root.file("/proc/77/task/77/status", "Name:\tirqbalance\nState:\tT (stopped)\nTgid:\t77\n");
  EXPECT_EQ(observed(root, "irqbalance").observed, "is paused");
  EXPECT_EQ(observed(root, "irqbalance").verdict, Judgement::ok);
}

// What stands against a setting is data: a reboot where nothing can be written, and what refuses to be written.
TEST(Settings, ARebootIsNeededWhereNothingCanBeWritten) {
  for (const Setting& setting : settings()) {
    const bool can_be_written = !setting.set.empty() || setting.set_here != nullptr;
    if (can_be_written) {
      EXPECT_FALSE(setting.needs_reboot) << setting.name;
    }
    if (!can_be_written && !setting.boot.empty()) {
      EXPECT_TRUE(setting.needs_reboot) << setting.name;
    }
    if (setting.immovable != nullptr) {
      EXPECT_FALSE(setting.boot.empty()) << setting.name << ": nothing would be left to do";
    }
  }
}

// IRQ 36 of the kernel that this was seen on: a queue of a virtual disk, whose file is not writable.
TEST(Settings, AManagedInterruptIsNotWrittenAndIsNamed) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/irq/24/effective_affinity_list", "3\n");
  root.file("/proc/irq/24/smp_affinity_list", "0-3\n");
  root.file("/proc/irq/36/effective_affinity_list", "3\n");
  root.file("/proc/irq/36/smp_affinity_list", "2-3\n");
  root.file("/proc/irq/36/virtio1-req.0/x", "");
  const auto fix = [&] { return observed(root, "IRQ affinity").fix; };
  EXPECT_THAT(fix(), HasSubstr("{24,36}"));
  EXPECT_THAT(fix(), HasSubstr("; what refuses the write needs the parameters and a reboot"));  // Linux 6.1
  root.file("/proc/sys/kernel/osrelease", "6.12.9-rt\n");
  EXPECT_THAT(fix(), testing::Not(HasSubstr("refuses")));
  std::filesystem::permissions(root.path() + "/proc/irq/36/smp_affinity_list", std::filesystem::perms::owner_read);
  EXPECT_EQ(fix(),
            "echo 0-1 > /proc/irq/24/smp_affinity_list, or irqaffinity=0-1 isolcpus=managed_irq,2-3 at boot; "
            "36 (virtio1-req.0) cannot be moved while the machine runs: needs the parameters and a reboot");
}

// A defect: an interrupt whose owner had given it CPUs 1 and 2 was let onto CPU 0, too.
TEST(Settings, AnInterruptKeepsWhatItsOwnerGaveItOfTheOtherCpus) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/irq/25/smp_affinity_list", "1-2\n");
  root.file("/proc/irq/26/smp_affinity_list", "2-3\n");
  EXPECT_THAT(observed(root, "IRQ affinity").fix,
              HasSubstr("echo 1 > /proc/irq/25/smp_affinity_list; echo 0-1 > /proc/irq/26/smp_affinity_list, or "));
}

// Every CPU measured: nothing is left for what has to go elsewhere, and nothing is written then.
TEST(Settings, NothingIsMovedWhereNoCpuIsLeft) {
  FakeMachine root;
  make_good(root);
  const MachineView machine = root.view({});
  for (const Setting& setting : settings())
    for (const FileWrite& write : writes_of(setting, machine)) EXPECT_FALSE(write.value.empty()) << setting.name;
  for (const char* name : {"workqueues", "default IRQ affinity", "soft lockup watchdog"})
    for (const Setting& setting : settings())
      if (setting.name == name) {
        EXPECT_TRUE(writes_of(setting, machine).empty()) << name;
        EXPECT_THAT(fix_text(setting, machine), HasSubstr("leave a CPU that is not measured")) << name;
      }
}

TEST(Settings, AValueIsReadBackHoweverTheKernelWritesIt) {
  FakeMachine root;
  root.file("/mask", "00000000,00000003\n");
  root.file("/list", "0,1\n");
  root.file("/words", "always madvise [never]\n");
  const MachineView machine = root.view({});
  EXPECT_TRUE(is_written({"/mask", "3"}, machine));
  EXPECT_TRUE(is_written({"/list", "0-1"}, machine));
  EXPECT_TRUE(is_written({"/words", "never"}, machine));
  EXPECT_FALSE(is_written({"/words", "always"}, machine));
  EXPECT_FALSE(is_written({"/mask", "1"}, machine));
  EXPECT_FALSE(is_written({"/absent", "1"}, machine));
}

// A defect: without its commands the rest of a fix began in the middle: "in /sys/kernel/tracing/instances/NAME the
// same".
TEST(Settings, AFixIsAWholeSentenceWhereNothingCanBeWritten) {
  const FakeMachine nothing;
  for (const Setting& setting : settings()) {
    if (setting.fix.empty() || (setting.set.empty() && setting.set_here == nullptr)) continue;
    const std::string fix = fix_text(setting, nothing.view({2, 3}));
    EXPECT_NE(fix, setting.fix) << setting.name;
    EXPECT_FALSE(fix.starts_with("or") || fix.starts_with("then")) << setting.name;
  }
  EXPECT_EQ(observed(nothing, "turbo").fix, "switch it off in the firmware, or on the host of this virtual machine");
}

TEST(Settings, RebootIsSaid) {
  FakeMachine root;
  make_good(root);
  EXPECT_THAT(observed(root, "isolated CPUs").fix,
              HasSubstr(" on the kernel command line, and a reboot; or, at once, "));
  EXPECT_THAT(observed(root, "preemption model").fix, HasSubstr("; needs a reboot"));
  EXPECT_THAT(observed(root, "governor").fix, testing::Not(HasSubstr("reboot")));
}

TEST(Settings, NotComparableSaysWhyInSentences) {
  FakeMachine root;
  make_good(root);
  root.file("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n");
  root.file("/proc/cpuinfo", cpuinfo("hypervisor"));
  const auto reasons = not_comparable(root.view({2, 3}));
  ASSERT_EQ(reasons.size(), 3u);
  EXPECT_THAT(reasons[0], HasSubstr("virtual machine"));
  EXPECT_THAT(reasons[1], HasSubstr("not a PREEMPT_RT kernel (PREEMPT_DYNAMIC)"));
  EXPECT_THAT(reasons[2], HasSubstr("counter cannot be trusted"));
  for (const auto& reason : reasons) EXPECT_EQ(reason.back(), '.');
}

TEST(Settings, ThisMachineCanBeRead) {
  MachineView machine;
  EXPECT_FALSE(machine.measured().empty());
  for (const SettingObservation& row : observe_all(machine)) EXPECT_FALSE(row.observed.empty()) << row.name;
}

}  // namespace
}  // namespace maxlat::core
