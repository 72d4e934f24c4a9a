// SPDX-License-Identifier: MIT
//
// The page as a document: whole, safe against what is written in it, and with every section. How it looks in a browser
// is tested in tests/e2e.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <maxlat/core/result/phase_start.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/reports/report.hpp>
#include <set>
#include <vector>

#include "script.hpp"
#include "test/test_environment.hpp"
#include "test/test_runs.hpp"
#include "view/numbers.hpp"

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WriteHtml : public ::testing::Test {
 protected:
  void SetUp() override {
    if (core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  }
  // Without its script, which is there once, is ours, and is no markup.
  std::string page_of(const core::RunResult& run) {
    const auto written = write_html(run, folder_ / "report.html");
    EXPECT_TRUE(written) << (written ? "" : written.error().text);
    std::string page = folder_.read("report.html");
    EXPECT_THAT(page, HasSubstr("script-src &#39;" + std::string(page_script_hash()) + "&#39;"));
    const std::string script = "<script>" + std::string(page_script()) + "</script>";
    const size_t at = page.find(script);
    EXPECT_NE(at, std::string::npos);
    return at == std::string::npos ? page : page.erase(at, script.size());
  }
  test::TemporaryFolder folder_;
};

struct Tag {
  std::string name;
  std::string text;  // between < and >
};

std::vector<Tag> tags_of(const std::string& page) {
  std::vector<Tag> tags;
  for (size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const size_t end = page.find('>', at);
    const std::string text = page.substr(at + 1, end - at - 1);
    tags.push_back({text.substr(0, text.find_first_of(" \n")), text});
  }
  return tags;
}

// Every element that opens closes, in order. (All text is escaped, so each '<' begins a tag.)
void expect_balanced(const std::string& page) {
  std::vector<std::string> open;
  for (const auto& tag : tags_of(page)) {
    if (tag.name == "!DOCTYPE" || tag.name == "meta") continue;
    if (tag.name.front() != '/') {
      open.push_back(tag.name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag.text;
    ASSERT_EQ(open.back(), tag.name.substr(1));
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

std::string attribute(const Tag& tag, const std::string& name) {
  const size_t at = tag.text.find(" " + name + "=\"");
  if (at == std::string::npos) return {};
  const size_t begin = at + name.size() + 3;
  return tag.text.substr(begin, tag.text.find('"', begin) - begin);
}

TEST_F(WriteHtml, IsBalancedForEveryShapeOfRun) {
  auto unknown = test::single_phase_run();
  unknown.phases[0].kind = "a kind nobody knows";
  auto empty_phase = test::single_phase_run();
  empty_phase.phases[0].per_cpu.clear();
  for (const auto& run :
       {test::typical_run(), test::single_phase_run(), test::large_run(20, 1), unknown, empty_phase, core::RunResult{}})
    expect_balanced(page_of(run));
}

TEST_F(WriteHtml, IdsAreUniqueAndLinksLead) {
  std::set<std::string> ids;
  const auto tags = tags_of(page_of(test::typical_run()));
  for (const auto& tag : tags) {
    const std::string id = attribute(tag, "id");
    EXPECT_TRUE(id.empty() || ids.insert(id).second) << id << " is there twice";
  }
  for (const auto& tag : tags) {
    const std::string target = attribute(tag, "href");
    EXPECT_TRUE(!target.starts_with('#') || ids.count(target.substr(1)) == 1) << target << " leads nowhere";
  }
}

TEST_F(WriteHtml, NeedsNothingButItself) {
  const auto page = page_of(test::typical_run());
  for (const auto& tag : tags_of(page)) {
    EXPECT_NE(tag.name, "script");
    EXPECT_NE(tag.name, "link");
    EXPECT_NE(tag.name, "img");
    EXPECT_EQ(attribute(tag, "src"), "");
    const std::string href = attribute(tag, "href");
    EXPECT_TRUE(href.empty() || href.starts_with('#')) << href;
  }
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

TEST_F(WriteHtml, SaysVerdictFirstAndLoudlyWhatCannotBeCompared) {
  auto run = test::typical_run();
  run.verdict.kind = core::Verdict::Kind::invalid;
  run.verdict.reasons = {"hackbench died"};
  const auto page = page_of(run);
  EXPECT_THAT(page, HasSubstr("INVALID"));
  EXPECT_THAT(page, HasSubstr("hackbench died"));
  EXPECT_THAT(page, HasSubstr("Not comparable with bare metal"));
  EXPECT_LT(page.find("INVALID"), page.find("Not comparable"));
  EXPECT_LT(page.find("Not comparable"), page.find("id=\"preflight\""));
}

TEST_F(WriteHtml, WhatElseRanOnTheMeasuredCpusIsATableOfAllCpusTogether) {
  auto run = test::typical_run();
  EXPECT_THAT(page_of(run), Not(HasSubstr("What else ran")));
  using Kind = core::Interruption::Kind;
  for (core::Phase& phase : run.phases) {
    if (phase.kind != "npt") continue;
    phase.duration_s = 10;
    phase.activity = {
        {.cpu = 1, .switches = 3, .counted = {{.kind = Kind::device, .name = "24", .what = "eth<0>", .count = 40}}},
        {.cpu = 2,
         .counted = {{.kind = Kind::device, .name = "24", .what = "eth<0>", .count = 60}},
         .named = {{.kind = Kind::task, .name = "kworker/2:1", .by = "sh on CPU 0", .count = 7}}}};
    break;
  }
  const auto page = page_of(run);
  EXPECT_THAT(page, HasSubstr("What else ran on the measured CPUs"));
  EXPECT_THAT(page, HasSubstr("eth&lt;0&gt;"));
  EXPECT_THAT(page, HasSubstr(">100<")) << "the line of both CPUs";
  EXPECT_THAT(page, HasSubstr(">10.0<")) << "a second";
  EXPECT_THAT(page, HasSubstr("sh on CPU 0"));
  EXPECT_THAT(page, HasSubstr("all switches to tasks"));
}

TEST_F(WriteHtml, PairsOfPoliciesAreATableOfAllCpusTogether) {
  auto run = test::typical_run();
  EXPECT_THAT(page_of(run), Not(HasSubstr("Preemption, by pairs")));
  using Promise = core::PolicyPair::Promise;
  core::PolicyPair pair{.cpu = 1,
                        .running = "SCHED_OTHER",
                        .woken = "SCHED_FIFO 95",
                        .promise = Promise::must,
                        .rounds = 40,
                        .preempted = 40,
                        .latency = core::PreemptionLatency{1'000, 2'000, 7'000}};
  run.phases[1].pairs = {pair, pair, pair};
  run.phases[1].pairs[1].cpu = 2;
  run.phases[1].pairs[2].woken = "SCHED_BATCH";
  run.phases[1].pairs[2].promise = Promise::may;
  auto page = page_of(run);
  EXPECT_THAT(page, HasSubstr("Preemption, by pairs"));
  EXPECT_THAT(page, HasSubstr(">80<")) << "the line of both CPUs";
  EXPECT_THAT(page, Not(HasSubstr("SCHED_BATCH"))) << "nothing is promised of it";
  EXPECT_THAT(page, Not(HasSubstr("broken on")));
  run.phases[1].pairs[1].preempted = 39;
  run.phases[1].pairs[1].waited = 1;
  page = page_of(run);
  EXPECT_THAT(page, HasSubstr("broken on CPU 2"));
}

TEST_F(WriteHtml, EveryPhaseHasItsSectionCommandAndReason) {
  const auto run = test::typical_run();
  const auto page = page_of(run);
  size_t sections = 0;
  for (const auto& tag : tags_of(page)) sections += attribute(tag, "class") == "phase" ? 1 : 0;
  EXPECT_EQ(sections, run.phases.size());
  for (const auto& phase : run.phases) {
    EXPECT_THAT(page, HasSubstr(phase.command));
    EXPECT_THAT(page, HasSubstr(phase.reason));
  }
  EXPECT_THAT(page, HasSubstr("rule of three"));
  EXPECT_THAT(page, HasSubstr("user-space loop (upper bound)"));
  EXPECT_THAT(page, HasSubstr("b07711de"));
}

TEST_F(WriteHtml, TheBoxComesFirstAndTracersLast) {
  auto run = test::typical_run();
  auto arms = test::tracer_run();
  arms.phases.pop_back();
  run.phases.insert(run.phases.begin(), arms.phases.begin(), arms.phases.end());
  run.comparisons = arms.comparisons;
  run.label = "box 17";
  run.annotations = {{"bios", "2.4"}};
  run.build = "83c1f0a29b41d6e7aa";
  const auto page = page_of(run);
  expect_balanced(page);
  size_t last = 0;
  for (const char* part :
       {"box 17", "AMD EPYC 9B14, CPUs 0-1; Linux 6.1.0-27-amd64, PREEMPT_DYNAMIC", "build 83c1f0a29b41", "bios: 2.4",
        "href=\"#trust\"", "id=\"verdict\"", "id=\"trust\"", "id=\"phases\"", "<h2>cyclictest under load",
        "<h2>npt under load", "<h2>npt idle", "<h2>hardware latency (upper bound)", "<h2>control before",
        "id=\"preflight\"", "id=\"tracers\"", "id=\"machine\""}) {
    const size_t at = page.find(part, last);
    EXPECT_NE(at, std::string::npos) << part;
    if (at != std::string::npos) last = at;
  }
  size_t links = 0, arm_looks = 0;
  const size_t nav = page.find("<nav"), nav_end = page.find("</nav>");
  for (const auto& tag : tags_of(page.substr(nav, nav_end - nav))) links += tag.name == "a";
  for (const auto& tag : tags_of(page)) arm_looks += attribute(tag, "class") == "arm";
  EXPECT_LE(links, 8u);
  EXPECT_EQ(arm_looks, arms.phases.size());
}

TEST_F(WriteHtml, PlantedStallsAreARowForEachLength) {
  auto run = test::typical_run();
  auto& control = *run.phases[0].control;
  for (int i = 0; i < 20; ++i) control.stalls.push_back({1, 50e3, 50e3, 0, 51e3, true});
  control.stalls.push_back({0, 500e3, 500e3, 0, 0, false});
  const auto page = page_of(run);
  const size_t begin = page.find("Positive control: npt loop");
  const std::string table = page.substr(begin, page.find("</table>", begin) - begin);
  size_t rows = 0;
  for (const auto& tag : tags_of(table)) rows += tag.name == "tr";
  EXPECT_EQ(rows, 1u + 3u);
  EXPECT_THAT(table, HasSubstr(">21<"));
  EXPECT_THAT(table, HasSubstr(">missed<"));
  EXPECT_THAT(page, HasSubstr(">23 of 24 found, 1 missed<"));
  EXPECT_THAT(page, HasSubstr(">3 of 3 found<"));  // the control after
}

TEST_F(WriteHtml, OfAFixOnlyTheCommandIsShownAsOne) {
  auto run = test::typical_run();
  run.preflight[0].verdict = core::SettingObservation::Verdict::bad;
  run.preflight[0].fix = "echo 0 > /proc/x; corrected errors then go unseen";
  EXPECT_THAT(page_of(run), HasSubstr("<code>echo 0 &gt; /proc/x</code>; corrected errors then go unseen<"));
}

TEST_F(WriteHtml, AMaximumWithoutATimeIsListed) {
  auto run = test::typical_run();
  for (auto& cpu : run.phases[2].per_cpu) cpu.outliers.clear();
  EXPECT_THAT(page_of(run), HasSubstr("time unknown"));
}

TEST_F(WriteHtml, TheLargestSamplesHaveTheTimeOfTheLog) {
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  auto run = test::typical_run();
  EXPECT_THAT(page_of(run), Not(HasSubstr("by the clock")));
  core::set_realtime_start(run.phases[4], 1'795'520'000'250'000'000);  // its largest: 24.4 s after its start
  EXPECT_THAT(page_of(run), HasSubstr(">2026-11-24 12:33:44.650 CET<"));
  unsetenv("TZ");
  tzset();
}

TEST_F(WriteHtml, TracersHaveTablesFiguresAndTheirCommand) {
  auto run = test::tracer_run();
  run.comparisons[0].verdict += " <b>";
  const auto page = page_of(run);
  expect_balanced(page);
  const size_t section = page.find("<section id=\"tracers\">"), end = page.find("</section>", section);
  ASSERT_NE(section, std::string::npos);
  const std::string tracers = page.substr(section, end - section);
  for (const char* text : {"maxlat npt --compare none,maxlat:timer,maxlat:wakeup,lttng-ust:timer --seed 42",
                           "maxlat npt --find-max-rate maxlat:timer", "variance", "p99.9999", "events lost",
                           "lttng-ust:timer: skipped: lttng-sessiond is not installed", "noise floor of 4.00 \u00b5s",
                           "different", "4.2 M/s", "3 of 4", "4.35 M/s", "6 of 6", "&lt;b&gt;"})
    EXPECT_THAT(tracers, HasSubstr(text));
  size_t figures = 0;
  for (const auto& tag : tags_of(tracers)) figures += tag.name == "figure";
  EXPECT_EQ(figures, 4u);
}

TEST_F(WriteHtml, TheWorstGapHasAName) {
  auto run = test::tracer_run();
  const auto page = page_of(run);
  const size_t section = page.find("<section id=\"tracers\">"), end = page.find("</section>", section);
  const std::string tracers = page.substr(section, end - section);
  const double worst[] = {run.phases[2].per_cpu[0].outliers[0].latency_ns,
                          run.phases[3].per_cpu[0].outliers[0].latency_ns};
  EXPECT_THAT(tracers,
              HasSubstr("the worst gap of maxlat:timer, " + with_micro_sign(core::latency_text(worst[0])) +
                        ", was an ordinary event, none of the tracer&#39;s rare paths; the worst of the rare ones, "
                        "2.10 \u00b5s, was a sub-buffer switch (640 of them, median 701 ns)."));
  EXPECT_THAT(tracers, HasSubstr("the worst gap of maxlat:wakeup, " + with_micro_sign(core::latency_text(worst[1])) +
                                 ", was a sub-buffer switch and wakeup (639 of them, median 20.0 \u00b5s)."));
  EXPECT_THAT(tracers, HasSubstr("A flush is not among the paths"));
  EXPECT_THAT(page, HasSubstr("-500 ns  npt:loop  count 41, ticks 52  sub-buffer switch and wakeup"));
  for (auto& phase : run.phases) phase.paths.clear();
  EXPECT_THAT(page_of(run), Not(HasSubstr("A flush is not among the paths")));
}

// Everything that is text in a result may come from a kernel, a program, a plan.
TEST_F(WriteHtml, EscapesEverything) {
  const std::string hostile = "<script>alert(1)</script>\"' onload=\"x";
  auto run = test::typical_run();
  run.label = run.build = run.id = run.tool = run.plan = run.plan_text = run.gate_text = run.started = run.ended =
      hostile;
  run.annotations = {{hostile, hostile}};
  run.verdict.reasons = run.verdict.not_comparable = {hostile};
  run.verdict.rules = {{hostile, hostile, hostile, core::RuleResult::Outcome::fail, hostile}};
  for (auto& row : run.preflight) row = {row.verdict, hostile, hostile, hostile, hostile, hostile, hostile};
  for (auto& group : run.machine) group = {hostile, hostile, {{hostile, hostile}}};
  for (auto& phase : run.phases) {
    phase.name += hostile;
    phase.kind = phase.arm = phase.reason = phase.command = phase.started = hostile;
    phase.facts = {{hostile, hostile}};
    phase.warnings = {hostile};
    phase.paths = {test::path_of(hostile, true, 30, 5)};
    if (phase.control) phase.control->meter = hostile;
    for (auto& load : phase.load) load.name = load.command = load.unit = load.reason = hostile;
    for (auto& cpu : phase.per_cpu) {
      for (auto& outlier : cpu.outliers) {
        outlier.cause = outlier.path = hostile;
        outlier.events = {{0, hostile, hostile, hostile}};
      }
    }
  }
  const auto page = page_of(run);
  expect_balanced(page);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\" onload=\"x")));
}

TEST_F(WriteHtml, SaysHowFarItCanBeTrusted) {
  const auto page = page_of(test::typical_run());
  EXPECT_THAT(page, HasSubstr("How far it can be trusted"));
  EXPECT_THAT(page, HasSubstr("control before, npt loop: 3 of 3 planted stalls found"));
  EXPECT_THAT(page, HasSubstr("Every sample is counted in a histogram"));
  EXPECT_LT(page.find("id=\"trust\""), page.find("id=\"phases\""));
  const auto alone = page_of(test::single_phase_run());
  EXPECT_THAT(alone, HasSubstr("No stall of known length was planted"));
  EXPECT_THAT(alone, HasSubstr("One run does not know how it differs from the next"));
}

TEST_F(WriteHtml, ATailThatSomethingElseMadeIsSuspicious) {
  auto run = test::single_phase_run();
  for (core::CpuResult& cpu : run.phases[0].per_cpu) test::add_stall(cpu, 5e6, 3);
  EXPECT_THAT(page_of(run), HasSubstr("npt, because: The largest samples of all CPUs go together"));
}

TEST_F(WriteHtml, AHeatMapHasARowForEachCpuAndTheLargestOfEachStretch) {
  auto run = test::single_phase_run();
  run.phases[0].per_cpu[1].timeline.max_ns[4] = 1234567;
  const auto page = page_of(run);
  EXPECT_THAT(page, HasSubstr("data-cpus=\"0,1\""));
  const size_t at = page.find("data-values=\"");
  const std::string values = page.substr(at, page.find('"', at + 13) - at);
  EXPECT_EQ(std::count(values.begin(), values.end(), ';'), 1);
  EXPECT_EQ(std::count(values.begin(), values.end(), ','), 18);
  EXPECT_THAT(values, HasSubstr(",1230000,"));
  run.phases[0].per_cpu.resize(1);
  EXPECT_THAT(page_of(run), Not(HasSubstr("class=\"heat\"")));
}

TEST_F(WriteHtml, AWaivedRuleSaysWhy) {
  auto run = test::single_phase_run();
  run.verdict.kind = core::Verdict::Kind::pass;
  run.verdict.rules = {{.rule = "npt: max_ns",
                        .limit = "<= 20000 ns (20.0 us)",
                        .observed = "22000 ns (22.0 us, CPU 0)",
                        .outcome = core::RuleResult::Outcome::waived,
                        .note = "waived until 2026-12-31: ticket 4711"}};
  const auto page = page_of(run);
  EXPECT_THAT(page, HasSubstr("waived</span> waived until 2026-12-31: ticket 4711"));
  EXPECT_THAT(page, HasSubstr(">waived, see the rules<")) << "a limit that is exceeded is no pass";
  run.verdict.rules[0].outcome = core::RuleResult::Outcome::warning;
  EXPECT_THAT(page_of(run), HasSubstr(">pass, see the rules<"));
}

TEST_F(WriteHtml, AFullDiskIsAnError) {
  const auto written = write_html(test::single_phase_run(), "/dev/full");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().exit_status, core::Exit::error);
  EXPECT_THAT(written.error().text, HasSubstr("/dev/full"));
}

}  // namespace
}  // namespace maxlat::reports
