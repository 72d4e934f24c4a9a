// SPDX-License-Identifier: MIT
#include "plan_toml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "meters/control_runner.hpp"
#include "meters/cyclictest_meter.hpp"
#include "meters/own_meter.hpp"
#include "profiles.hpp"

namespace maxlat::rteval_ext {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Plan parsed(std::string_view text) {
  const core::Result<Plan> plan = parse_plan(text, "p.toml");
  if (!plan) {
    ADD_FAILURE() << plan.error().text;
    return {};
  }
  return *plan;
}

TEST(PlanToml, ReadsEveryKey) {
  const Plan plan = parsed(R"(
name = "mine"
about = "a line"
shield = true
dma_latency = false
kernel_events = false
[[phase]]
name = "control"
kind = "control"
meters = ["npt", "cyclictest"]
cpus = "1"
[phase.stalls]
lengths = ["1ms", "20us"]
repeats = 7
[[phase]]
name = "npt under load"
kind = "npt"
duration = "90s"
cpus = "0,2-3"
loads = ["hackbench:-g 2", "cpu"]
load_cpus = "housekeeping"
arguments = ["--policy", "rr"]
[phase.limits]
max_ns = 50000
"p99.99_ns" = 2.5e4
exposure_s = 60
load_alive = true
)");
  EXPECT_EQ(plan.name, "mine");
  EXPECT_EQ(plan.about, "a line");
  EXPECT_EQ(plan.shield, ShieldUse::wanted);
  EXPECT_FALSE(plan.dma_latency);
  EXPECT_FALSE(plan.kernel_events);
  ASSERT_EQ(plan.phases.size(), 2u);
  const PhasePlan& control = plan.phases[0];
  EXPECT_EQ(control.kind, &kControlPhase);
  EXPECT_THAT(control.meters, testing::ElementsAre(&kNptPhase, &kCyclictestPhase));
  EXPECT_THAT(control.stalls.lengths_ns, testing::ElementsAre(1'000'000u, 20'000u));
  EXPECT_EQ(control.stalls.repeats, 7u);
  EXPECT_EQ(control.cpus, "1");
  const PhasePlan& npt = plan.phases[1];
  EXPECT_EQ(npt.duration_ns, 90'000'000'000u);
  EXPECT_EQ(npt.cpus, "0,2-3");
  EXPECT_EQ(npt.load_cpus, "housekeeping");
  EXPECT_THAT(npt.loads, testing::ElementsAre("hackbench:-g 2", "cpu"));
  EXPECT_THAT(npt.arguments, testing::ElementsAre("--policy", "rr"));
  ASSERT_EQ(npt.limits.size(), 4u);
  double max_limit = 0, quantile_limit = 0, alive = 0;
  for (const reports::Rule& rule : npt.limits) {
    EXPECT_EQ(rule.phase, "npt under load");
    if (rule.metric == "max_ns") max_limit = rule.limit;
    if (rule.metric == "p99.99_ns") quantile_limit = rule.limit;
    if (rule.metric == "load_alive") alive = rule.limit;
  }
  EXPECT_EQ(max_limit, 50000);
  EXPECT_EQ(quantile_limit, 25000);
  EXPECT_EQ(alive, 1);
}

TEST(PlanToml, HousekeepingCpusAreOfTheShieldWhicheverComesFirst) {
  constexpr const char* kPhase = "[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n";
  for (const std::string keys :
       {"shield = true\nhousekeeping = '0,2'\n", "housekeeping = '0,2'\nshield = 'required'\n"})
    EXPECT_EQ(parsed(keys + kPhase).housekeeping, (core::CpuList{0, 2})) << keys;
}

// One mistake a line of the table: the text, the line it is on, and a word that names it.
TEST(PlanToml, LimitsInWordsHaveTheirUnit) {
  const Plan plan = parsed(R"(
[[phase]]
name = "a"
kind = "npt"
duration = "1s"
[phase.limits]
max = "50us"
mean = "1.5us"
"p99.9" = "20us"
exposure = "1m"
)");
  std::map<std::string, double> limits;
  for (const auto& rule : plan.phases.at(0).limits) limits[rule.metric] = rule.limit;
  const std::map<std::string, double> expected = {
      {"max_ns", 50e3}, {"mean_ns", 1500}, {"p99.9_ns", 20e3}, {"exposure_s", 60}};
  EXPECT_EQ(limits, expected);
}

struct MistakeCase {
  const char* text;
  const char* place;
  const char* says;
};

class PlanTomlMistakes : public testing::TestWithParam<MistakeCase> {};

TEST_P(PlanTomlMistakes, AreOneLineWithFileAndLine) {
  const core::Result<Plan> plan = parse_plan(GetParam().text, "p.toml");
  ASSERT_FALSE(plan.ok()) << GetParam().text;
  EXPECT_THAT(plan.error().text, StartsWith(std::string("p.toml:") + GetParam().place + ": "));
  EXPECT_THAT(plan.error().text, HasSubstr(GetParam().says));
  EXPECT_EQ(plan.error().text.find('\n'), std::string::npos);
  EXPECT_FALSE(plan.error().hint.empty());
  EXPECT_EQ(plan.error().exit_status, core::Exit::error);
}

INSTANTIATE_TEST_SUITE_P(
    All, PlanTomlMistakes,
    testing::Values(
        MistakeCase{"name = ", "1", ""}, MistakeCase{"", "1", "no [[phase]]"},
        MistakeCase{"nmae = 'x'\n", "1", "unknown key 'nmae'"}, MistakeCase{"[phase]\nname='a'\n", "1", "two brackets"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\nspeed=3\n", "5", "unknown key 'speed'"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration=1\n", "4", "text in quotes"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='0s'\n", "4", "longer than 0"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1x'\n", "4", "duration"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\n", "1", "needs a duration"},
        MistakeCase{"[[phase]]\nname='a'\nkind='oslat'\n", "3", "unknown kind 'oslat'"},
        MistakeCase{"[[phase]]\nkind='npt'\nduration='1s'\n", "1", "needs a name"},
        MistakeCase{"[[phase]]\nname='a'\nduration='1s'\n", "1", "needs a kind"},
        MistakeCase{"[[phase]]\nname='../a'\n", "2", "letters, digits"},
        MistakeCase{"[[phase]]\nname='preflight'\n", "2", "begins and ends"},
        MistakeCase{"[[phase]]\nname='shield audit'\n", "2", "a shielded run begins with it"},
        MistakeCase{"dma_latency = 0\n", "1", "true or false"},
        MistakeCase{"kernel_events = 'no'\n", "1", "'kernel_events' must be true or false"},
        MistakeCase{"[settings]\ngovernour = 'required'\n", "2", "unknown setting 'governour'"},
        MistakeCase{"[settings]\ngovernor = true\n", "2", "governor"},
        MistakeCase{"[settings]\ngovernor = 'maybe'\n", "2", "'governor' must be \"required\" or \"comparable\""},
        MistakeCase{"settings = 'all'\n", "1", "settings are written as [settings]"},
        MistakeCase{"shield = 'maybe'\n", "1", "true, false or \"required\""},
        MistakeCase{"shield = true\nhousekeeping = ''\n", "2", "'housekeeping' must be a CPU list: "},
        MistakeCase{"shield = true\nhousekeeping = 'x'\n", "2", "'housekeeping' must be a CPU list: "},
        MistakeCase{"shield = true\nhousekeeping = 0\n", "2", "housekeeping"},
        MistakeCase{"housekeeping = '0'\nshield = false\n[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n", "1",
                    "'housekeeping' needs a shield, and the plan has none"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\ncpus='x'\n", "5", "CPU list"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\nloads='cpu'\n", "5", "list of texts"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n",
                    "5", "two phases are named 'a'"},
        MistakeCase{"[[phase]]\nname='a'\nkind='control'\n", "1", "needs meters"},
        MistakeCase{"[[phase]]\nname='a'\nkind='control'\nmeters=['control']\n", "4", "unknown meter"},
        MistakeCase{"[[phase]]\nname='a'\nkind='control'\nmeters=['npt','hwlat','npt']\n", "4", "'npt' is there twice"},
        MistakeCase{"[[phase]]\nname='a'\nkind='control'\nmeters=['npt']\nduration='3s'\n", "5", "no duration"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\nmeters=['npt']\n", "5", "only a control"},
        MistakeCase{"[[phase]]\nname='a'\nkind='control'\nmeters=['npt']\n[phase.stalls]\nrepeats=0\n", "6", "repeats"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\narms=['none','maxlat']\n", "5", "only a tracer"},
        MistakeCase{"[[phase]]\nname='a'\nkind='control'\nmeters=['npt']\n[phase.stalls]\nlengths=['1ms',\n'1001ms']\n",
                    "7", "a stall is at most 1 s"},
        MistakeCase{"about = \"a\\nb\"\n", "1", "'about' must be one line of text"},
        MistakeCase{"about = \"a\\u001b[31m\"\n", "1", "'about' must be one line of text"},
        MistakeCase{"about = \"a\\u007f\"\n", "1", "'about' must be one line of text"},
        MistakeCase{"[[phase]]\nname='a'\nkind='tracer'\nduration='1s'\narms=['none']\n", "1", "two arms"},
        MistakeCase{"[[phase]]\nname='a'\nkind='tracer'\nduration='1s'\narms=['none','maxlat']\nrounds=0\n", "6",
                    "rounds"},
        MistakeCase{"[[phase]]\nname='a'\nkind='tracer'\nduration='1s'\narms=['none','a']\n[phase.limits]\nmax_ns=3\n",
                    "6", "no limits"},
        MistakeCase{"[[phase]]\nname='a'\nkind='control'\nmeters=['tracer']\n", "4", "unknown meter"},
        MistakeCase{"[[phase]]\nname='a'\nkind='control'\nmeters=['preempt']\n", "4", "unknown meter"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\nmax=3\n", "6", "max"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\nmax_ns='3us'\n", "6",
                    "with a unit it is max = \"50us\""},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\nmax='50'\n", "6",
                    "\"50\" has no unit; write 50us"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\nmax=50\n", "6",
                    "needs a unit: max = \"50us\""},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\nmaximum='1s'\n", "6",
                    "limit 'maximum': there is no such metric; metrics are max_ns, "},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\nload_alive_s=1\n", "6", ""},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='20'\n", "4", "\"20\" has no unit; write 20us"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\nmax_ns=-3\n", "6", ""},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\np99.9_ns=3\n", "6", "quotes"},
        MistakeCase{"[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n[phase.limits]\nload_alive=false\n", "6",
                    "true"}));

core::Result<Plan> with_arguments(const std::string& kind, const std::string& arguments) {
  return parse_plan("[[phase]]\nname='a'\narguments=[" + arguments + "]\nkind='" + kind + "'\nduration='1s'\n", "p");
}

// Each of them made figures wrong by a thousand, or an exposure of more than the time, or a result nobody can read.
TEST(PlanToml, RefusesWhatCyclictestIsTold) {
  for (const auto& [arguments, option] : std::map<std::string, std::string>{{"'-N'", "--nsecs"},
                                                                            {"'--nsec'", "--nsecs"},
                                                                            {"'--n'", "--nsecs"},
                                                                            {"'-xN'", "--posix_timers"},
                                                                            {"'-i20'", "--interval"},
                                                                            {"'-c1', '-i', '20'", "--interval"},
                                                                            {"'--int=20'", "--interval"},
                                                                            {"'-c', '1', '-D', '1'", "--duration"},
                                                                            {"'-a', '0'", "--affinity"},
                                                                            {"'-t4'", "--threads"},
                                                                            {"'-S'", "--smp"},
                                                                            {"'-h', '10'", "--histogram"},
                                                                            {"'-H10'", "--histofall"},
                                                                            {"'-l', '3'", "--loops"},
                                                                            {"'-q'", "--quiet"},
                                                                            {"'-v'", "--verbose"},
                                                                            {"'-u'", "--unbuffered"},
                                                                            {"'-p80'", "--priority"},
                                                                            {"'--js=x'", "--json"},
                                                                            {"'20', '-r'", "--relative"}}) {
    const auto plan = with_arguments("cyclictest", arguments);
    ASSERT_FALSE(plan.ok()) << arguments;
    EXPECT_THAT(plan.error().text, HasSubstr("cyclictest's " + option + " ")) << arguments;
    EXPECT_THAT(plan.error().text, StartsWith("p:3: "));
  }
  // Two options begin so, and no option is called so.
  EXPECT_THAT(with_arguments("cyclictest", "'--his=3'").error().text, HasSubstr("'--his=3'"));
  EXPECT_THAT(with_arguments("cyclictest", "'-c1', '-Z'").error().text, HasSubstr("'-Z'"));
  EXPECT_THAT(with_arguments("cyclictest", "'-c'").error().text, HasSubstr("'-c'"));
  EXPECT_TRUE(with_arguments("cyclictest", "'-c', '1', '--lat=20', '--secaligned', '50'").ok());
  EXPECT_TRUE(with_arguments("npt", "'-i'").ok());
}

TEST(PlanToml, RefusesWhatMakesSeveralPhasesOfOneNpt) {
  for (const char* arguments : {"'-f', '1M'", "'-f1M'", "'--tp-max-freq=1M'", "'--trace-window', '1ms'",
                                "'--wait-window=1ms'", "'--compare', 'none,maxlat'", "'--find-max-rate=maxlat'"}) {
    const auto plan = with_arguments("npt", arguments);
    ASSERT_FALSE(plan.ok()) << arguments;
    EXPECT_THAT(plan.error().text, HasSubstr("more than one phase")) << arguments;
  }
  const char* tracer = "[[phase]]\nname='a'\narms=['none','a']\narguments=['-f','1M']\nkind='tracer'\nduration='1s'\n";
  EXPECT_TRUE(parse_plan(tracer, "p").ok());
}

// A defect: a phase that ended after 20 ms of its 3 s passed.
TEST(PlanToml, RefusesWhatThePlanOrTheMeterSaysAndWhatEndsAPhaseTooSoon) {
  for (const char* arguments : {"'-a', '0'", "'-D2s'", "'--duration=2s'", "'-p', '5'", "'-b', '30us'", "'-l10'"}) {
    EXPECT_THAT(with_arguments("npt", arguments).error().text, HasSubstr("is not for a plan")) << arguments;
    EXPECT_THAT(with_arguments("cyclic", arguments).error().text, HasSubstr("is not for a plan")) << arguments;
  }
  EXPECT_TRUE(with_arguments("cyclic", "'--aligned', '--timer=timerfd'").ok());
}

TEST(PlanToml, APlanWithoutANameIsNamedAfterItsFile) {
  EXPECT_EQ(parsed("[[phase]]\nname='a'\nkind='npt'\nduration='1s'\n").name, "p.toml");
}

TEST(Profiles, AllParseAndHaveTheirOwnNameAndNoLimits) {
  ASSERT_EQ(profiles().size(), 4u);
  for (const Profile& profile : profiles()) {
    const core::Result<Plan> plan = parse_plan(profile.text, std::string(profile.name));
    ASSERT_TRUE(plan.ok()) << plan.error().text;
    EXPECT_EQ(plan->name, profile.name);
    for (const PhasePlan& phase : plan->phases) EXPECT_TRUE(phase.limits.empty());
  }
  EXPECT_EQ(find_profile("nonsense"), nullptr);
}

double total_seconds(std::string_view profile, size_t cpus) {
  const core::Result<Plan> plan = parse_plan(find_profile(profile)->text, "p");
  double seconds = 0;
  for (const PhasePlan& phase : plan->phases) seconds += expected_seconds(phase, cpus);
  return seconds;
}

TEST(Profiles, LastAsLongAsTheySay) {
  EXPECT_LE(total_seconds("quick", 8), 170);
  EXPECT_NEAR(total_seconds("standard", 8), 3600, 180);
  EXPECT_NEAR(total_seconds("soak", 8), 24 * 3600, 600);
  EXPECT_NEAR(total_seconds("paper", 8), 2.5 * 3600, 900);
}

// Review: half of quick was a benchmark of tracers, in front of the box's own figures.
TEST(Profiles, TheBoxComesBeforeTracersAndHasMostOfTheTime) {
  for (const Profile& profile : profiles()) {
    const core::Result<Plan> plan = parse_plan(profile.text, std::string(profile.name));
    ASSERT_TRUE(plan.ok()) << plan.error().text;
    double of_box = 0, of_tracers = 0;
    for (const PhasePlan& phase : plan->phases) {
      if (phase.kind->shape == PhaseDefinition::Shape::control) continue;
      const bool of_a_tracer = phase.kind->shape == PhaseDefinition::Shape::comparison;
      (of_a_tracer ? of_tracers : of_box) += expected_seconds(phase, 8);
      EXPECT_TRUE(of_a_tracer || of_tracers == 0) << profile.name << ": " << phase.name << " comes behind tracers";
    }
    EXPECT_EQ(of_tracers > 0, profile.name == "quick" || profile.name == "paper") << profile.name;
    EXPECT_LT(of_tracers, of_box / 2) << profile.name;
  }
}

}  // namespace
}  // namespace maxlat::rteval_ext
