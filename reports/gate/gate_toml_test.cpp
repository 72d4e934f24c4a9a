// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/reports/gate.hpp>

#include "../test/test_environment.hpp"
#include "../test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(GateToml, ReadsEveryKey) {
  const auto read = parse_gate(R"(
name = "box 17"
folder = "/srv/baselines"
may_be_invalid = ["hwlat"]
[[limits]]
phase = "npt under load"
max = "100us"
"p99.99_ns" = 50000
above_50us_per_h = 12.5
[limits.soft]
max = "60us"
exposure = "1h"
[[limits]]
preflight_ok = true
"setting governor" = true
[[limits]]
phase = "npt"
[limits.soft]
mean = "1us"
cpus_over = 0.05
[[waiver]]
phase = "npt under load"
limit = "max"
reason = "ticket 4711"
until = 2026-12-31
up_to = "5ms"
[baseline]
runs = ["a", "b", "c"]
phase = "npt"
may_differ = ["firmware"]
[baseline.ratio]
max = 1.5
"p99.9" = 2
)",
                               "g.toml");
  ASSERT_TRUE(read) << read.error().text;
  const Gate& gate = read->gate;
  EXPECT_EQ(gate.name, "box 17");
  EXPECT_EQ(read->folder, "/srv/baselines");
  EXPECT_EQ(gate.may_be_invalid, std::vector<std::string>{"hwlat"});
  std::vector<std::string> rules;
  for (const Rule& rule : gate.rules)
    rules.push_back(fmt::format("{}: {}{} {}", rule.phase, rule.metric, rule.soft ? " soft" : "", rule.limit));
  EXPECT_THAT(rules, ::testing::UnorderedElementsAre("npt under load: max_ns 100000", "npt under load: p99.99_ns 50000",
                                                     "npt under load: above_50us_per_h 12.5",
                                                     "npt under load: max_ns soft 60000",
                                                     "npt under load: exposure_s soft 3600", "*: preflight_ok 1",
                                                     "*: setting governor 1", "npt: mean_ns soft 1000"));
  EXPECT_EQ(gate.rules.back().cpus_over, 0.05);
  ASSERT_EQ(gate.waivers.size(), 1u);
  EXPECT_EQ(gate.waivers[0].metric, "max_ns");
  EXPECT_EQ(gate.waivers[0].until, "2026-12-31");
  EXPECT_EQ(gate.waivers[0].up_to, 5e6);
  EXPECT_EQ(read->baseline_paths, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_THAT(gate.baseline->ratios,
              ::testing::UnorderedElementsAre(std::pair{"max_ns", 1.5}, std::pair{"p99.9_ns", 2.0}));
  EXPECT_EQ(gate.baseline->phases, std::vector<std::string>{"npt"});
  EXPECT_EQ(gate.baseline->may_differ, std::vector<std::string>{"firmware"});
}

TEST(GateToml, ABaselineIsAboutOnePhaseOrSeveral) {
  const auto phases_in = [](const std::string& line) {
    const auto read = parse_gate("[baseline]\nruns = 'a'\n" + line + "\n[baseline.ratio]\nmax = 2\n", "g.toml");
    EXPECT_TRUE(read) << read.error().text;
    return read->gate.baseline->phases;
  };
  EXPECT_EQ(phases_in(""), std::vector<std::string>{"*"});
  EXPECT_EQ(phases_in("phase = 'npt'"), std::vector<std::string>{"npt"});
  EXPECT_EQ(phases_in("phase = ['npt', 'cyclictest', 'npt']"), (std::vector<std::string>{"npt", "cyclictest"}));
}

struct GateMistake {
  const char* text;
  const char* place;
  const char* says;
};

class GateTomlMistakes : public testing::TestWithParam<GateMistake> {};

TEST_P(GateTomlMistakes, AreOneLineWithFileAndLine) {
  const auto read = parse_gate(GetParam().text, "g.toml");
  ASSERT_FALSE(read) << GetParam().text;
  EXPECT_THAT(read.error().text, StartsWith(std::string("g.toml:") + GetParam().place + ": "));
  EXPECT_THAT(read.error().text, HasSubstr(GetParam().says));
  EXPECT_EQ(read.error().text.find('\n'), std::string::npos);
  EXPECT_EQ(read.error().exit_status, core::Exit::error);
}

#define WAIVER "[[limits]]\nmax='1s'\n[[waiver]]\n"
INSTANTIATE_TEST_SUITE_P(
    All, GateTomlMistakes,
    testing::Values(
        GateMistake{"", "1", "no [[limits]]"}, GateMistake{"[[limits]\nmax='1s'", "1", ""},
        GateMistake{"[limits]\nmax='1s'\n", "1", "two brackets"}, GateMistake{"[[limits]]\n", "1", "has no limit"},
        GateMistake{"[[limits]]\nphase='npt'\n", "1", "has no limit"},
        GateMistake{"lmits=3\n", "1", "unknown key 'lmits'"}, GateMistake{"\"a\\nb\"=3\n", "1", "unknown key 'a?b'"},
        GateMistake{"[[limits]]\nmaximum='1s'\n", "2", "no such metric; metrics are max_ns, "},
        GateMistake{"[[limits]]\nmax=50\n", "2", "needs a unit"}, GateMistake{"[[limits]]\nmax='50'\n", "2", "no unit"},
        GateMistake{"[[limits]]\np99.9='1us'\n", "2", "needs quotes"},
        GateMistake{"[[limits]]\nabove_50_per_h=1\n", "2", "no such metric"},
        GateMistake{"[[limits]]\nabove_50us_per_h='1'\n", "2", "must be a number"},
        GateMistake{"[[limits]]\nabove_50us_per_h=nan\n", "2", "is nan, not a number from 0"},
        GateMistake{"[[limits]]\nabove_50us_ppm=-1\n", "2", "is -1, not a number from 0"},
        GateMistake{"[[limits]]\nmax_ns=inf\n", "2", "is inf, not a number from 0"},
        GateMistake{"[[limits]]\nmax='-5us'\n", "2", "is not a duration"},
        GateMistake{"[[limits]]\nmax='1s'\n[limits.soft]\nmax='1us'\ncpus_over=nan\n", "5", "0.05 is 5 %"},
        GateMistake{"[[limits]]\npreflight_ok=false\n", "2", "only be required"},
        GateMistake{"[[limits]]\n'setting governer'=true\n", "2", "no such metric"},
        GateMistake{"[[limits]]\npreflight_ok=true\nphase='npt'\n", "3", "takes no phase"},
        GateMistake{"[[limits]]\nmax=['1s']\n", "2", "must be a number, or a time"},
        GateMistake{"[[limits]]\nmax='1s'\n[limits.soft]\ncpus_over=0.1\n", "3", "has no limit"},
        GateMistake{"[[limits]]\nmax='1s'\n[limits.soft]\nmax='1us'\ncpus_over=5\n", "5", "0.05 is 5 %"},
        GateMistake{"[[limits]]\nmax='1s'\n[limits.soft]\nexposure='1s'\ncpus_over=0.1\n", "5",
                    "not judged on each CPU"},
        GateMistake{WAIVER "limit='max'\nreason='x'\n", "3", "needs 'until'"},
        GateMistake{WAIVER "limit='max'\nuntil=2026-12-31\n", "3", "needs 'reason'"},
        GateMistake{WAIVER "reason='x'\nuntil=2026-12-31\n", "3", "needs 'limit'"},
        GateMistake{WAIVER "limit='max'\nreason='x'\nuntil='2026-12-31'\n", "6", "without quotes"},
        GateMistake{WAIVER "limit='max'\nreason='x'\nuntil=2026-12-31\nup_to='5'\n", "7", "no unit"},
        GateMistake{WAIVER "limit='exposure'\nreason='x'\nuntil=2026-12-31\nup_to='5s'\n", "7", "'up_to': "},
        GateMistake{WAIVER "limit='min'\n", "4", "no such metric"}, GateMistake{WAIVER "reason=''\n", "4", "one line"},
        GateMistake{WAIVER "who='me'\n", "4", "unknown key 'who'"},
        GateMistake{"[baseline]\nruns='a'\n", "1", "needs a [baseline.ratio]"},
        GateMistake{"[baseline]\nruns='a'\nphase=[]\n", "3", "names none"},
        GateMistake{"[baseline]\nruns='a'\nphase=3\n", "3", "'phase'"},
        GateMistake{"[baseline.ratio]\nmax=1.5\n", "1", "needs 'runs'"},
        GateMistake{"[baseline]\nruns='a'\n[baseline.ratio]\nmax=0.5\n", "4", "from 1 to 1000"},
        GateMistake{"[baseline]\nruns='a'\n[baseline.ratio]\nmax=nan\n", "4", "from 1 to 1000"},
        GateMistake{"[baseline]\nruns='a'\n[baseline.ratio]\nexposure=2\n", "4", "only latencies"},
        GateMistake{"may_be_invalid='npt'\n", "1", "may_be_invalid"},
        GateMistake{"folder='x'\n", "1", "begin at the root"}));
#undef WAIVER

class GateFile : public testing::Test {
 protected:
  core::Result<Gate> gate_with(const std::string& runs) {
    folder_.write("g.toml", "[baseline]\nruns = " + runs + "\n[baseline.ratio]\nmax = 2\n");
    return read_gate(folder_ / "g.toml");
  }
  void write_run(const std::string& name) {
    std::filesystem::create_directories(folder_ / name);
    ASSERT_TRUE(core::write_run(folder_ / (name + "/result.json"), test::single_phase_run()));
  }
  test::TemporaryFolder folder_;
};

TEST_F(GateFile, ABaselineIsARunOrASeries) {
  for (const char* name : {"series/c", "series/a", "series/b"}) write_run(name);
  std::filesystem::create_directories(folder_ / "series/no-run");
  auto gate = gate_with("'series/a'");
  ASSERT_TRUE(gate) << gate.error().text;
  EXPECT_EQ(gate->baseline->runs.size(), 1u);
  gate = gate_with("'series'");
  ASSERT_TRUE(gate) << gate.error().text;
  ASSERT_EQ(gate->baseline->runs.size(), 3u);
  EXPECT_THAT(gate->baseline->runs[0].path, ::testing::EndsWith("series/a"));
  gate = gate_with("['series/a/result.json', 'series/b']");
  ASSERT_FALSE(gate);
  EXPECT_THAT(gate.error().text, HasSubstr("[baseline] runs: 2 runs do not tell their noise"));
}

TEST_F(GateFile, ABaselineThatIsNotThereIsAnError) {
  write_run("a");
  EXPECT_THAT(gate_with("'b'").error().text, HasSubstr("[baseline] runs: "));
  std::filesystem::create_directories(folder_ / "empty");
  EXPECT_THAT(gate_with("'empty'").error().text, HasSubstr("holds no run"));
  EXPECT_FALSE(read_gate(folder_ / "none.toml"));
}

TEST_F(GateFile, WhatIsKeptSaysTheSameFromAnotherFolder) {
  write_run("a");
  ASSERT_TRUE(gate_with("'a'"));
  const auto kept = gate_to_keep(folder_ / "g.toml");
  ASSERT_TRUE(kept);
  core::RunResult run;
  run.gate_text = *kept;
  const auto again = gate_of_run(run, "result.json");
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(again->name, folder_ / "g.toml");
  EXPECT_EQ(again->baseline->runs.size(), 1u);
  folder_.write("kept.toml", *kept);
  const auto twice = gate_to_keep(folder_ / "kept.toml");
  ASSERT_TRUE(twice);
  EXPECT_EQ(*twice, *kept);
}

}  // namespace
}  // namespace maxlat::reports
