// SPDX-License-Identifier: MIT
#include "steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "meters/control_runner.hpp"
#include "plan_toml.hpp"

namespace maxlat::rteval_ext {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LeftBySkip, IsThePlanAsItWouldRun) {
  const Plan plan = *parse_plan(
      "[[phase]]\nname='before'\nkind='control'\nmeters=['npt','hwlat']\n"
      "[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n",
      "p");
  const auto left = [&](const std::vector<std::string>& skip) {
    std::vector<std::string> steps;
    const auto rest = left_by_skip(plan, skip);
    if (!rest) return std::vector{rest.error().text};
    const auto planned = steps_of(*rest, {{0, 1}, {}});
    for (const Step& step : *planned) steps.push_back(step.name);
    return steps;
  };
  EXPECT_THAT(left({}), ElementsAre("before (npt)", "before (hwlat)", "a"));
  EXPECT_THAT(left({"control"}), ElementsAre("a"));
  EXPECT_THAT(left({"before (npt)"}), ElementsAre("before (hwlat)", "a"));
  EXPECT_THAT(left({"npt"}), ElementsAre("before (npt)", "before (hwlat)"));
  EXPECT_THAT(left({"a", "x"}), ElementsAre(HasSubstr("'x'")));
  EXPECT_THAT(left({"a", "before"}), ElementsAre(HasSubstr("no phase of the plan is left")));
}

// The control was on all CPUs but the first, and cyclictest measured the first, too.
TEST(Steps, AControlCoversTheCpusOfItsMetersPhases) {
  const auto cpus_of = [](const std::string& control, const std::string& phases) {
    const Plan plan =
        *parse_plan("[[phase]]\nname='c'\nkind='control'\nmeters=['cyclictest','npt']\n" + control + phases, "p");
    const auto steps = steps_of(plan, {{0, 1, 2, 3}, {}});
    std::vector<std::string> cpus;
    for (const Step& step : *steps)
      if (step.phase->kind == &kControlPhase) cpus.push_back(core::to_string(step.placement.measured));
    return cpus;
  };
  const std::string cyclictest = "[[phase]]\nname='a'\nkind='cyclictest'\nduration='1s'\n";
  const std::string npt = "[[phase]]\nname='b'\nkind='npt'\nduration='1s'\n";
  EXPECT_THAT(cpus_of("", cyclictest + npt), ElementsAre("0-3", "1-3"));
  EXPECT_THAT(cpus_of("", ""), ElementsAre("0-3", "1-3"));
  EXPECT_THAT(
      cpus_of("", cyclictest + "cpus='2'\n" + npt + "cpus='0'\n[[phase]]\nname='d'\nkind='npt'\nduration='1s'\n"),
      ElementsAre("2", "0-3"));
  EXPECT_THAT(cpus_of("cpus='1'\n", cyclictest + npt), ElementsAre("1", "1"));

  // Pre-flight looks at the CPUs of the gap meters: a control of cyclictest everywhere must not make all CPUs such.
  const Plan plan = *parse_plan("[[phase]]\nname='c'\nkind='control'\nmeters=['cyclictest']\n" + npt, "p");
  EXPECT_THAT(watched_cpus(*steps_of(plan, {{0, 1, 2, 3}, {}})), ElementsAre(1u, 2u, 3u));
}

}  // namespace
}  // namespace maxlat::rteval_ext
