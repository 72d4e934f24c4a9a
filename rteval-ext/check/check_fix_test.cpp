// SPDX-License-Identifier: MIT
#include "check_fix.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/test/fake_root.hpp>
#include <sstream>

namespace maxlat::rteval_ext {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Four CPUs, of which 2 and 3 are to be measured, badly set.
class CheckFix : public testing::Test {
 protected:
  CheckFix() {
    root_.file("/sys/devices/system/cpu/online", "0-3\n");
    root_.file("/sys/devices/system/cpu/isolated", "\n");
    root_.file("/sys/devices/system/cpu/nohz_full", "\n");
    root_.file("/proc/cmdline", "quiet rcu_nocbs=1\n");
    root_.file("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n");
    root_.file("/proc/sys/kernel/nmi_watchdog", "1\n");
    root_.file("/proc/sys/kernel/timer_migration", "0\n");
    root_.file("/proc/swaps", "Filename Type\n/dev/sda2 partition\n");
    root_.file("/sys/devices/virtual/workqueue/cpumask", "f\n");
    root_.file("/proc/irq/24/smp_affinity_list", "0-3\n");
    for (int cpu = 0; cpu < 4; ++cpu) {
      const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/", cpu);
      root_.file(folder + "cpufreq/scaling_governor", cpu == 3 ? "performance\n" : "powersave\n");
      root_.file(folder + "topology/thread_siblings_list", fmt::format("{}-{}\n", cpu / 2 * 2, cpu / 2 * 2 + 1));
    }
  }
  core::MachineView machine() const { return {.root = root_.path(), .measured_cpus = {2, 3}}; }
  std::string script() const { return fix_script(remedies(machine()), machine(), {}); }
  std::vector<std::string> commands() const {
    std::vector<std::string> commands;
    std::istringstream lines(script());
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && line.front() != '#') commands.push_back(line);
    return commands;
  }

  test::FakeRoot root_;
};

TEST_F(CheckFix, EachWriteIsALineForAShell) {
  EXPECT_THAT(commands(),
              ElementsAre("echo 0 > /proc/sys/kernel/nmi_watchdog  # was 1",
                          "echo 3 > /sys/devices/virtual/workqueue/cpumask  # was f",
                          "echo 0-1 > /proc/irq/24/smp_affinity_list  # was 0-3",
                          "echo performance > /sys/devices/system/cpu/cpu2/cpufreq/scaling_governor  # was powersave"));
}

// A shell that takes the script makes right what it names; what is shown is what helps.
TEST_F(CheckFix, AShellThatRunsItMakesTheMachineRight) {
  std::string moved = script();
  for (size_t at = 0; (at = moved.find(" > /", at)) != std::string::npos; at += 3) moved.insert(at + 3, root_.path());
  root_.file("/fix.sh", moved);
  ASSERT_EQ(std::system(("sh " + root_.path() + "/fix.sh").c_str()), 0);
  EXPECT_THAT(commands(), ElementsAre());
  EXPECT_EQ(core::read_text(root_.path() + "/proc/sys/kernel/nmi_watchdog"), "0");
  EXPECT_EQ(core::read_text(root_.path() + "/proc/irq/24/smp_affinity_list"), "0-1");
}

TEST_F(CheckFix, ParametersOfTheKernelAndWhatAPersonDoesAreComments) {
  const std::string text = script();
  EXPECT_THAT(text, HasSubstr("# needs a reboot, with these parameters of the kernel:\n"
                              "#   isolcpus=managed_irq,domain,2-3 for isolated CPUs, IRQ affinity\n"
                              "#   nohz_full=2-3 for nohz_full\n"
                              "#   rcu_nocbs=2-3 for rcu_nocbs; this kernel has rcu_nocbs=1\n"));
  EXPECT_THAT(text, HasSubstr("# `maxlat shield boot --cpus 2-3` says where they go\n"));
  EXPECT_THAT(text, HasSubstr("#   swap: /dev/sda2: swapoff -a, and take the areas out of /etc/fstab\n"));
  EXPECT_THAT(text, HasSubstr("#   preemption model: PREEMPT_DYNAMIC: boot a PREEMPT_RT kernel"));
  EXPECT_THAT(text,
              HasSubstr("#   SMT siblings: shares its core with CPU 3 (CPU 2), shares its core with CPU 2 (CPU 3)"));
  EXPECT_THAT(text, Not(HasSubstr("timer migration")));
  EXPECT_THAT(text, HasSubstr("# not known: "));
  EXPECT_THAT(fix_script(remedies(machine()), machine(), {.is_root = false}),
              HasSubstr("not known, but perhaps to root: "));
}

// A defect: groups, masks and the units of systemd were one sentence, the same on every box.
TEST_F(CheckFix, TheStepsThatAreNoSettingsAreToldWithTheirNumbers) {
  root_.file("/dev/cpu_dma_latency", "");
  root_.file("/proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root_.file("/sys/fs/cgroup/cgroup.controllers", "cpuset\n");
  root_.file("/run/systemd/system/README", "systemd is process 1\n");
  std::string text = fix_script(remedies(machine()), machine(), {.width = 1000});
  EXPECT_THAT(text,
              HasSubstr("\n# step by step, it would make 4 settings right (4 files), hold /dev/cpu_dma_latency at 0, "
                        "keep 0 threads off by a cpuset of cgroup v2 (/sys/fs/cgroup/maxlat-shield), and by "
                        "AllowedCPUs= of systemd's slices, leave at most "));
  const core::MachineView every_cpu{.root = root_.path(), .measured_cpus = {0, 1, 2, 3}};
  text = fix_script(remedies(every_cpu), every_cpu, {});
  EXPECT_THAT(text, Not(HasSubstr("step by step"))) << "no CPU is left for the rest";
}

TEST_F(CheckFix, TheLastLineCounts) {
  EXPECT_THAT(fix_summary(remedies(machine()), machine()),
              testing::StartsWith("4 files to write, 4 parameters of the kernel, 3 settings by hand, "));
}

TEST_F(CheckFix, CommentsKeepTheWidth) {
  std::istringstream lines(fix_script(remedies(machine()), machine(), {.width = 80}));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) continue;
    EXPECT_LE(line.size(), 80u) << line;
  }
}

}  // namespace
}  // namespace maxlat::rteval_ext
