// SPDX-License-Identifier: MIT
#include "watching_cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <maxlat/core/result/fact_names.hpp>

#include "meters/own_meter.hpp"
#include "meters/test_bench.hpp"

namespace maxlat::rteval_ext {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class WatchingCost : public testing::Test {
 protected:
  WatchingCost() {
    script_.on_command = [this](const MeterJob& job) {
      watched_.push_back(job.kernel_events);
      core::RunResult result = test::meter_result(5000);
      if (job.kernel_events) {
        core::Phase& phase = result.phases[0];
        phase.facts[core::fact::kKernelEvents] = told_;
        phase.per_cpu[0].bins[0].high_ns = 200;
        core::fill_statistics_from_bins(phase.per_cpu[0]);
      }
      EXPECT_TRUE(core::write_run(folder_ / "r.json", result));
    };
  }
  std::string cost() {
    return watching_cost([this] { return std::make_unique<test::FakeMeter>(&kNptPhase, script_, folder_ / "r.json"); },
                         {1}, folder_ / "piece.json");
  }

  const test::TemporaryFolder folder_;
  test::Script script_;
  std::string told_ = "recorded by tracefs";
  std::vector<bool> watched_;
};

TEST_F(WatchingCost, IsOnePieceWithAndOneWithout) {
  const std::string told = cost();
  EXPECT_THAT(told, StartsWith("p50 200 ns, p99.9 "));
  EXPECT_THAT(told, HasSubstr(" of a loop's gaps with the kernel's events recorded by tracefs; p50 100 ns, p99.9 "));
  EXPECT_THAT(told, EndsWith(" without, in one piece of 1 s each"));
  EXPECT_THAT(watched_, ElementsAre(false, true));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "piece.json"));
}

TEST_F(WatchingCost, SaysWhyItIsNotMeasured) {
  told_ = "not recorded: no tracefs";
  EXPECT_EQ(cost(), "not measured: the kernel's events are not recorded: no tracefs");
  script_.shell = "exit 1";
  EXPECT_THAT(cost(), StartsWith("not measured: fake meter ended"));
}

}  // namespace
}  // namespace maxlat::rteval_ext
