// SPDX-License-Identifier: MIT
//
// Settings that hang together in the kernel, and those of which a part cannot be moved.
#include <gmock/gmock.h>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outcome = StepReport::Outcome;

class ShieldSettings : public ShieldedBox {
 protected:
  StepReport step(const ShieldReport& report, const std::string& name) const {
    for (const StepReport& step : report.steps)
      if (step.step == name) return step;
    return {};
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldSettings, testing::Values(Hierarchy::v2));

std::string cpufreq(int cpu, const std::string& file) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/{}", cpu, file);
}

// As amd-pstate-epp has it: the governor `performance` makes the preference so, and going back leaves it. Until then it
// takes no other.
class AmdPstate : public FakeSurface {
 public:
  using FakeSurface::FakeSurface;
  core::Status write(const std::string& path, const std::string& value) override {
    constexpr std::string_view kGovernor = "scaling_governor", kPreference = "energy_performance_preference";
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    if (path.ends_with(kPreference) && value != "performance" &&
        view().read(folder + std::string(kGovernor)) == "performance")
      return core::Error{"cannot write " + path + ": device or resource busy"};
    const core::Status written = FakeSurface::write(path, value);
    if (written && path.ends_with(kGovernor) && value == "performance")
      return FakeSurface::write(folder + std::string(kPreference), value);
    return written;
  }
};

// A defect: the governor went back, and the processor ran at its highest clock for ever after.
TEST_P(ShieldSettings, TheEnergyPreferenceIsWhatItWasBehindTheGovernor) {
  for (int cpu = 0; cpu < 4; ++cpu) box_.file(cpufreq(cpu, "energy_performance_preference"), "balance_performance\n");
  const auto before = box_.state();
  AmdPstate surface(box_, box_.view({2, 3}, {0, 1}));
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_EQ(step(*on, "energy preference").outcome, Outcome::done);
  EXPECT_EQ(step(*on, "governor").outcome, Outcome::done);
  EXPECT_EQ(box_.text(cpufreq(2, "energy_performance_preference")), "performance");
  EXPECT_EQ(box_.text(cpufreq(1, "energy_performance_preference")), "balance_performance") << "not a shielded CPU";
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off);
  EXPECT_THAT(off->failed, ElementsAre());
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: only an interrupt that was on a shielded CPU at that moment was kept off; one whose mask let it come there
// later was not.
TEST_P(ShieldSettings, AnInterruptThatMayComeIsKeptOffToo) {
  const auto irq = [](int number, const char* file) { return fmt::format("/proc/irq/{}/{}", number, file); };
  box_.file(irq(24, "effective_affinity_list"), "0\n");
  for (const int timer : {2, 36}) {
    box_.file(irq(timer, "smp_affinity_list"), "0-3\n");
    box_.file(irq(timer, "effective_affinity_list"), "1\n");
  }
  std::filesystem::permissions(box_.path() + irq(36, "smp_affinity_list"), std::filesystem::perms::owner_read);
  const auto before = box_.state();
  FakeSurface surface = this->surface();
  surface.refused = {irq(2, "smp_affinity_list")};  // the timer's
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_EQ(box_.text(irq(24, "smp_affinity_list")), "0-1");
  EXPECT_EQ(step(*on, "IRQ affinity").outcome, Outcome::done);
  EXPECT_EQ(step(*on, "IRQ affinity").text, "0 of 4; 1 file written so that it stays so");
  EXPECT_EQ(box_.text(irq(36, "smp_affinity_list")), "0-3") << "nobody may move it";
  EXPECT_EQ(shield_status(plan().journal, surface)->standing, on->changes);
  surface.refused = {};
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

// A defect: told as `done`, with an interrupt of the kernel's own that "reads so as yet".
TEST_P(ShieldSettings, AnInterruptThatTheKernelManagesNeedsAReboot) {
  const std::string managed = "/proc/irq/36/smp_affinity_list";
  box_.file("/proc/sys/kernel/osrelease", "6.12.9-rt\n");
  box_.file(managed, "2-3\n");
  box_.file("/proc/irq/36/virtio1-req.0/x", "");
  std::filesystem::permissions(box_.path() + managed, std::filesystem::perms::owner_read);
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const StepReport interrupts = step(*on, "IRQ affinity");
  EXPECT_EQ(interrupts.outcome, Outcome::needs_reboot);
  EXPECT_EQ(
      interrupts.text,
      "was 2 of 3: 24, 36 (virtio1-req.0), is 1 of 3: 36 (virtio1-req.0); 36 (virtio1-req.0) cannot be moved while "
      "the machine runs: needs irqaffinity=0-1 isolcpus=managed_irq,2-3 and a reboot");
  EXPECT_EQ(box_.text("/proc/irq/24/smp_affinity_list"), "0-1");
}

// A defect: what was right when the shield came was in no line of its journal, and so nobody saw that it was not any
// more.
TEST_P(ShieldSettings, OneThatWasRightAndTurnsWrongIsSeenAndSetByTheNextOn) {
  for (int cpu = 0; cpu < 4; ++cpu) box_.file(cpufreq(cpu, "scaling_governor"), "performance\n");
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_THAT(shield_status(plan().journal, surface)->settings, ElementsAre());
  box_.file(cpufreq(0, "scaling_governor"), "powersave\n");  // not a shielded CPU
  EXPECT_THAT(shield_status(plan().journal, surface)->settings, ElementsAre());
  box_.file(cpufreq(2, "scaling_governor"), "powersave\n");
  box_.file("/proc/irq/40/smp_affinity_list", "3\n");  // a new interrupt
  // The command looks with no CPUs of its own.
  const FakeSurface looking(box_, box_.view({}, {}));
  EXPECT_THAT(
      shield_status(plan().journal, looking)->settings,
      testing::UnorderedElementsAre("governor: powersave (CPU 2), performance (CPU 3)", "IRQ affinity: 1 of 3: 40"));
  const auto again = shield_on(plan(), surface);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->lost, 0u);
  EXPECT_EQ(again->changes, on->changes + 2);
  EXPECT_THAT(step(*again, "governor").text, HasSubstr("is performance"));
  EXPECT_EQ(box_.text(cpufreq(2, "scaling_governor")), "performance");
  EXPECT_EQ(box_.text("/proc/irq/40/smp_affinity_list"), "0-1");
  const auto status = shield_status(plan().journal, surface);
  EXPECT_THAT(status->settings, ElementsAre());
  EXPECT_TRUE(status->is_complete);
  EXPECT_EQ(status->standing, again->changes);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.text(cpufreq(2, "scaling_governor")), "powersave");
  EXPECT_EQ(box_.text("/proc/irq/40/smp_affinity_list"), "3");
}

TEST_P(ShieldSettings, OneThatTurnsWrongAndCannotBeSetIsLost) {
  for (int cpu = 0; cpu < 4; ++cpu) box_.file(cpufreq(cpu, "scaling_governor"), "performance\n");
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.file(cpufreq(2, "scaling_governor"), "powersave\n");
  surface.refused = {cpufreq(2, "scaling_governor")};
  EXPECT_EQ(shield_on(plan(), surface)->lost, 1u);
}

}  // namespace
}  // namespace maxlat::shield
