// SPDX-License-Identifier: MIT
//
// That a plan's words are held against the meters before anything is measured. What the meters take is theirs:
// tests/cli/cases_run.py asks the real ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <maxlat/rteval_ext/words_checks.hpp>

#include "meters/test_bench.hpp"
#include "orchestrator.hpp"
#include "plan/plan_toml.hpp"

namespace maxlat::rteval_ext {
namespace {

using testing::HasSubstr;

// As if maxlat's meters refused one word, asked for help by another, and could not do a third here.
core::Result<bool> check(const core::Arguments& words) {
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (has("--nope") || has("none,nope:x")) return core::Error{"there is no such thing", "there are others"};
  if (has("--elsewhere")) return core::Error{"not on this machine", "", core::Exit::cannot_run};
  return !has("--help");
}

class MeterWords : public testing::Test {
 protected:
  MeterWords() {
    words_checks() = {{"npt", check}, {"hwlat", check}};
    bench_.meter = [](PhaseKind kind) { return kind->make(); };
  }
  ~MeterWords() override { words_checks().clear(); }

  core::Status checked(const std::string& phase) {
    const auto plan = parse_plan("[[phase]]\nname='a'\nduration='1s'\n" + phase + "\n", "p");
    if (!plan) return plan.error();
    return check_plan(*plan, bench_);
  }

  test::TemporaryFolder folder_;
  test::Script script_;
  Bench bench_ = test::fake_bench(folder_, script_);
};

// A defect: the phase failed when its turn came, after an hour of measurement, and the run was not valid.
TEST_F(MeterWords, AreRefusedBeforeAnythingIsMeasured) {
  const core::Status arms = checked("kind='tracer'\narms=['none','nope:x']");
  ASSERT_FALSE(arms);
  EXPECT_EQ(arms.error().text, "phase 'a': maxlat npt: there is no such thing");
  EXPECT_EQ(arms.error().hint, "there are others");
  EXPECT_EQ(arms.error().exit_status, core::Exit::error);
  EXPECT_FALSE(checked("kind='hwlat'\narguments=['--nope']"));
  const core::Status help = checked("kind='npt'\narguments=['--help']");
  ASSERT_FALSE(help);
  EXPECT_THAT(help.error().text, HasSubstr("measures nothing by these arguments"));
}

TEST_F(MeterWords, AreLeftToThePhaseWhereNobodyRefusesThem) {
  EXPECT_TRUE(checked("kind='npt'"));
  EXPECT_TRUE(checked("kind='tracer'\narms=['none','maxlat:timer']"));
  EXPECT_TRUE(checked("kind='npt'\narguments=['--elsewhere']")) << "it costs its phase only";
  EXPECT_TRUE(checked("kind='preempt'\narguments=['--nope']")) << "nobody has told what preempt takes";
}

}  // namespace
}  // namespace maxlat::rteval_ext
