// SPDX-License-Identifier: MIT
//
// The forms for machines: what fails here must fail there, and nothing that a run holds breaks out of its place. That
// the XML is XML is asked of a parser in tests/cli/check_gate.py.
#include "verdict_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/reports/gate.hpp>

#include "../test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string written(std::string_view name, const core::RunResult& run) {
  for (const VerdictFormat* format : verdict_format_rows())
    if (format->name == name) return format->write({run, "box 17"});
  ADD_FAILURE() << "no format " << name;
  return {};
}

core::RunResult run_with(std::vector<core::RuleResult> rules, core::Verdict::Kind kind) {
  auto run = test::single_phase_run();
  run.verdict.kind = kind;
  run.verdict.rules = std::move(rules);
  return run;
}

core::RuleResult rule_of(Outcome outcome, const std::string& note = "") {
  return {.rule = "npt under load: max_ns",
          .limit = "<= 20000 ns (20.0 us)",
          .observed = "22000 ns (22.0 us, CPU 0)",
          .outcome = outcome,
          .note = note};
}

core::RunResult one_of_each() {
  return run_with(
      {rule_of(Outcome::pass), rule_of(Outcome::warning, "1 of 20 CPUs"),
       rule_of(Outcome::waived, "waived until 2026-12-31: x"), rule_of(Outcome::fail), rule_of(Outcome::invalid)},
      core::Verdict::Kind::fail);
}

TEST(VerdictFormat, Junit) {
  const std::string xml = written("junit", one_of_each());
  EXPECT_THAT(xml, HasSubstr("tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"npt under load\" name=\"max_ns\" time=\"0\">"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"22000 ns (22.0 us, CPU 0), limit &lt;= 20000 ns (20.0 us)\""));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"22000 ns (22.0 us, CPU 0), limit &lt;= 20000 ns (20.0 us): waived"));
}

TEST(VerdictFormat, Ktap) {
  const std::string text = written("ktap", one_of_each());
  EXPECT_THAT(text, ::testing::StartsWith("KTAP version 1\n# box 17\n1..6\nok 1 npt under load: max_ns\n# 22000 ns"));
  EXPECT_THAT(text, HasSubstr("\nok 3 npt under load: max_ns # XFAIL 22000 ns"));
  EXPECT_THAT(text, HasSubstr("\nnot ok 4 npt under load: max_ns\n# "));
  EXPECT_THAT(text, HasSubstr("\nnot ok 5 npt under load: max_ns # ERROR "));
  EXPECT_THAT(text, HasSubstr("\nok 6 run: is valid\n"));
}

TEST(VerdictFormat, Lava) {
  EXPECT_EQ(written("lava", one_of_each()),
            "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=npt-under-load-max_ns RESULT=pass MEASUREMENT=22000 UNITS=ns>\n"
            "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=npt-under-load-max_ns-2 RESULT=pass MEASUREMENT=22000 UNITS=ns>\n"
            "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=npt-under-load-max_ns-3 RESULT=skip MEASUREMENT=22000 UNITS=ns>\n"
            "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=npt-under-load-max_ns-4 RESULT=fail MEASUREMENT=22000 UNITS=ns>\n"
            "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=npt-under-load-max_ns-5 RESULT=unknown>\n"
            "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=run-is-valid RESULT=pass>\n");
}

TEST(VerdictFormat, Github) {
  const std::string text = written("github", one_of_each());
  EXPECT_THAT(text, HasSubstr("::error title=npt under load%3A max_ns (fail)::22000 ns (22.0 us, CPU 0), limit <="));
  EXPECT_THAT(text, HasSubstr("::warning title=npt under load%3A max_ns (waived)::"));
  EXPECT_THAT(text, Not(HasSubstr("(pass)")));
  EXPECT_THAT(text, EndsWith("::notice title=box 17::verdict: fail\n"));
}

// A defect: of an imported run, which tells no time, the timestamp was left out, and the schema needs one.
TEST(VerdictFormat, JunitHasATimeWhateverTheRunTells) {
  core::RunResult run = one_of_each();
  run.started = "2026-11-21T12:00:00Z";
  EXPECT_THAT(written("junit", run), HasSubstr("timestamp=\"2026-11-21T12:00:00\""));
  run.started = "";
  run.ended = "2026-11-21T12:02:41Z";
  EXPECT_THAT(written("junit", run), HasSubstr("timestamp=\"2026-11-21T12:02:41\""));
  run.ended = "";
  EXPECT_THAT(written("junit", run), HasSubstr("timestamp=\"20")) << "when it was judged";
}

// It is spoiled whatever its rules say: one that fails does not make it whole.
TEST(VerdictFormat, AnInterruptedRunIsNotValidThoughARuleFails) {
  auto run = run_with({rule_of(Outcome::fail)}, core::Verdict::Kind::fail);
  run.state = core::RunResult::State::interrupted;
  EXPECT_THAT(written("ktap", run), HasSubstr("not ok 2 run: is valid # ERROR the run was interrupted"));
}

TEST(VerdictFormat, LavaMeasuresOnlyWhatItHasAUnitFor) {
  auto run = run_with({rule_of(Outcome::pass)}, core::Verdict::Kind::pass);
  const auto observed = [&](const char* text) {
    run.verdict.rules[0].observed = text;
    return written("lava", run);
  };
  EXPECT_THAT(observed("800 ns (p99.99)"), HasSubstr("MEASUREMENT=800 UNITS=ns"));
  EXPECT_THAT(observed("4000.2 (CPU 1)"), HasSubstr("MEASUREMENT=4000.2>"));
  EXPECT_THAT(observed("1.20 us"), Not(HasSubstr("MEASUREMENT"))) << "a unit that readers of ns would miss";
  EXPECT_THAT(observed("0x1"), Not(HasSubstr("MEASUREMENT"))) << "a version, not 0";
}

// What spoils a run that has met all its rules stands in no rule.
TEST(VerdictFormat, AnInvalidRunFailsThoughItsRulesPass) {
  auto run = run_with({rule_of(Outcome::pass)}, core::Verdict::Kind::invalid);
  run.state = core::RunResult::State::interrupted;
  EXPECT_THAT(written("junit", run), AllOf(HasSubstr("errors=\"1\""), HasSubstr("message=\"the run was interrupted")));
  EXPECT_THAT(written("ktap", run), HasSubstr("not ok 2 run: is valid # ERROR the run was interrupted"));
  EXPECT_THAT(written("lava", run), HasSubstr("TEST_CASE_ID=run-is-valid RESULT=unknown"));
  EXPECT_THAT(written("github", run), HasSubstr("::error title=run%3A is valid (invalid)::the run was interrupted"));
}

TEST(VerdictFormat, NothingBreaksOutOfItsPlace) {
  auto rule = rule_of(Outcome::fail);
  rule.rule = "a\"><script> # SKIP\nok 9: max_ns";
  rule.observed = "]]> & \x1b[31m\r\n::error::%";
  const auto run = run_with({rule}, core::Verdict::Kind::fail);
  EXPECT_THAT(written("junit", run), AllOf(Not(HasSubstr("<script>")), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(written("ktap", run),
              HasSubstr("not ok 1 a\"><script> \\# SKIP?ok 9: max_ns\n# ]]> & ?[31m??::error::%"));
  EXPECT_THAT(written("lava", run), HasSubstr("TEST_CASE_ID=a-script-SKIP-ok-9-max_ns RESULT=fail>"));
  EXPECT_THAT(written("github", run), HasSubstr("::]]> & \x1b[31m%0D%0A::error::%25, limit"));
}

}  // namespace
}  // namespace maxlat::reports
