// SPDX-License-Identifier: MIT
//
// irqbalance, which undoes the masks of a shield, is paused.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using namespace std::string_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

class ShieldIrqbalance : public ShieldedBox {
 protected:
  void runs(const std::string& environment, int process = 77) {
    box_.thread(process, process, "irqbalance", "0-3", 0, 1);
    box_.file(fmt::format("/proc/{}/comm", process), "irqbalance\n");
    box_.file(fmt::format("/proc/{}/environ", process), environment);
  }
  bool is_paused(int process = 77) const {
    return FakeBox::field("State:", box_.text(fmt::format("/proc/{0}/task/{0}/status", process))) == "T";
  }
  static std::vector<StepReport> about(const ShieldReport& report) {
    std::vector<StepReport> steps = report.steps;
    std::erase_if(steps, [](const StepReport& step) { return step.step != "irqbalance"; });
    return steps;
  }
};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldIrqbalance, testing::Values(Hierarchy::v2, Hierarchy::none));

TEST_P(ShieldIrqbalance, IsPausedBeforeTheFirstMaskIsWrittenAndGoesOnAfterTheLast) {
  class Watching : public FakeSurface {
   public:
    using FakeSurface::FakeSurface;
    std::vector<std::string> said;
    core::Status write(const std::string& path, const std::string& value) override {
      if (path.ends_with("smp_affinity_list")) said.push_back("mask");
      return FakeSurface::write(path, value);
    }
    core::Status signal(pid_t task, int number) override {
      said.push_back(number == SIGSTOP ? "stop" : "go on");
      return FakeSurface::signal(task, number);
    }
  };
  runs("LANG=C\0"s);
  const auto before = box_.state();
  Watching surface(box_, box_.view({2, 3}, {0, 1}));
  EXPECT_THAT(would_do(plan(), surface), HasSubstr("pause irqbalance"));
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_THAT(about(*on), ElementsAre(Field(&StepReport::outcome, StepReport::Outcome::done)));
  EXPECT_TRUE(is_paused());
  EXPECT_EQ(surface.said.front(), "stop");
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre());
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(surface.said.back(), "go on");
  EXPECT_THAT(surface.said, Contains("mask"));
  EXPECT_THAT(box_.changed_since(before), ElementsAre());
}

TEST_P(ShieldIrqbalance, ThatLeavesTheseCpusAloneByItselfGoesOn) {
  runs("IRQBALANCE_BANNED_CPULIST=2-3\0"s);
  FakeSurface surface = this->surface();
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  EXPECT_FALSE(is_paused());
  EXPECT_THAT(about(*on), ElementsAre(Field(&StepReport::outcome, StepReport::Outcome::already)));
}

// Somebody lets it go on; or starts it anew, and the journal has another process.
TEST_P(ShieldIrqbalance, ThatGoesOnIsSeenAndPausedAgain) {
  runs("LANG=C\0"s);
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  ASSERT_TRUE(surface.signal(77, SIGCONT));
  EXPECT_THAT(shield_status(plan().journal, surface)->drifted, ElementsAre("irqbalance (process 77) goes on"));
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_TRUE(is_paused());
  box_.remove("/proc/77");
  runs("LANG=C\0"s, 78);
  EXPECT_THAT(shield_status(plan().journal, surface)->settings, ElementsAre("irqbalance (process 78) was started"));
  ASSERT_TRUE(shield_on(plan(), surface));
  EXPECT_TRUE(is_paused(78));
  EXPECT_THAT(shield_status(plan().journal, surface)->settings, ElementsAre());
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_FALSE(is_paused(78));
}

TEST_P(ShieldIrqbalance, ThatNobodyMayPauseIsLeftToAPerson) {
  class Refusing : public FakeSurface {
   public:
    using FakeSurface::FakeSurface;
    core::Status signal(pid_t, int) override { return core::Error{"cannot stop process 77: operation not permitted"}; }
  };
  runs("LANG=C\0"s);
  Refusing surface(box_, box_.view({2, 3}, {0, 1}));
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  const auto steps = about(*on);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps.front().outcome, StepReport::Outcome::not_possible);
  EXPECT_THAT(steps.front().text, HasSubstr("operation not permitted"));
  EXPECT_EQ(shield_status(plan().journal, surface)->standing, on->changes);
  EXPECT_THAT(shield_status(plan().journal, surface)->settings, ElementsAre());
}

// It waits for a disk. A stop that is not taken back would come when nobody has a line of it.
TEST_P(ShieldIrqbalance, ThatDoesNotStopInTimeIsToldToGoOn) {
  class Deaf : public FakeSurface {
   public:
    using FakeSurface::FakeSurface;
    std::vector<int> sent;
    core::Status signal(pid_t, int number) override {
      sent.push_back(number);
      return {};
    }
  };
  runs("LANG=C\0"s);
  Deaf surface(box_, box_.view({2, 3}, {0, 1}));
  const auto on = shield_on(plan(), surface);
  ASSERT_TRUE(on);
  ASSERT_EQ(about(*on).size(), 1u);
  EXPECT_EQ(about(*on).front().outcome, StepReport::Outcome::not_possible);
  EXPECT_THAT(surface.sent, ElementsAre(SIGSTOP, SIGCONT));
}

}  // namespace
}  // namespace maxlat::shield
