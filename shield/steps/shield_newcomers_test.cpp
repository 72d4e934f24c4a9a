// SPDX-License-Identifier: MIT
//
// Threads that begin while a shield is made, or under it.
#include <gmock/gmock.h>

#include <algorithm>

#include "shield.hpp"
#include "test_shielded_box.hpp"

namespace maxlat::shield {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class ShieldNewcomers : public ShieldedBox {};
INSTANTIATE_TEST_SUITE_P(Hierarchies, ShieldNewcomers,
                         testing::Values(Hierarchy::v2, Hierarchy::v2_of_systemd, Hierarchy::v1, Hierarchy::none));

// A thread begins whenever another one is moved, so many times.
class Forking : public FakeSurface {
 public:
  Forking(FakeBox& box, core::MachineView view, int times)
      : FakeSurface(box, std::move(view)), box_(box), times_(times) {}
  core::Status set_affinity(pid_t task, const core::CpuList& cpus) override {
    if (times_-- > 0) box_.thread(next_, next_, "forked", "0-3", 0, 40), ++next_;
    return FakeSurface::set_affinity(task, cpus);
  }

 private:
  FakeBox& box_;
  int times_, next_ = 80;
};

// A defect: they stayed on the shielded CPUs, and nothing said so.
TEST_P(ShieldNewcomers, AThreadThatBeginsMeanwhileLeavesToo) {
  Forking surface(box_, box_.view({2, 3}, {0, 1}), 1);
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report);
  EXPECT_EQ(box_.cpus_of(80, 80), "0-1");
  EXPECT_THAT(report->steps,
              Contains(testing::AllOf(testing::Field(&StepReport::step, "affinity"),
                                      testing::Field(&StepReport::text, HasSubstr("1 began meanwhile")))));
  EXPECT_EQ(shield_status(plan().journal, surface)->standing, report->changes);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(80, 80), "0-3");
}

TEST_P(ShieldNewcomers, WhereTheyNeverEndSoMuchIsSaid) {
  Forking surface(box_, box_.view({2, 3}, {0, 1}), 1000);
  const auto report = shield_on(plan(), surface);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->steps,
              Contains(testing::AllOf(testing::Field(&StepReport::step, "affinity"),
                                      testing::Field(&StepReport::text, HasSubstr(" may use them still")))));
}

// Where a partition stood the kernel widens its narrowed masks by itself. A defect: so did we, also what its owner had
// bound in the meantime.
TEST_P(ShieldNewcomers, AThreadThatBeganUnderTheShieldIsWidenedWhereTheKernelDoesNot) {
  FakeSurface surface = this->surface();
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.thread(60, 60, "child-of-daemon", "0-1", 0, 40);
  box_.thread(61, 61, "child-of-pinned", "0", 0, 50);
  const auto off = shield_off(plan().journal, surface, false);
  ASSERT_TRUE(off);
  const bool had_partition = GetParam() == Hierarchy::v2 || GetParam() == Hierarchy::v2_of_systemd;
  EXPECT_EQ(box_.cpus_of(60, 60), had_partition ? "0-1" : "0-3");
  EXPECT_EQ(off->inherited, had_partition ? 0u : 1u);
  EXPECT_EQ(box_.cpus_of(61, 61), "0");
}

TEST_P(ShieldNewcomers, WithoutAPartitionTheyAreWidenedEverywhere) {
  FakeSurface surface = this->surface();
  surface.partition_is_invalid = true;
  ASSERT_TRUE(shield_on(plan(), surface));
  box_.thread(60, 60, "child-of-daemon", "0-1", 0, 40);
  ASSERT_TRUE(shield_off(plan().journal, surface, false));
  EXPECT_EQ(box_.cpus_of(60, 60), "0-3");
}

}  // namespace
}  // namespace maxlat::shield
