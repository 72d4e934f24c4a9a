// SPDX-License-Identifier: MIT
//
// `maxlat report` and `maxlat gate` from their arguments to their files and exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/reports/compare_command.hpp>
#include <maxlat/reports/gate_command.hpp>
#include <maxlat/reports/plan_length_command.hpp>
#include <maxlat/reports/report_command.hpp>

#include "series/test_series.hpp"
#include "test/test_commands.hpp"
#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using test::error_of;
using test::ran;
using test::Ran;
using test::status_of;

class Commands : public test::CommandsOfARun {};

TEST_F(Commands, ReportTakesAFolderOrAFile) {
  if (core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  const auto from_folder = ran(report_command(), {folder_.path()});
  EXPECT_EQ(status_of(from_folder), core::Exit::pass) << error_of(from_folder);
  EXPECT_EQ(from_folder.printed, (folder_ / "report.html") + "\n");
  EXPECT_TRUE(exists("report.html"));
  std::filesystem::rename(result(), folder_ / "npt.json");
  EXPECT_EQ(status_of(ran(report_command(), {folder_ / "npt.json"})), core::Exit::pass);
  EXPECT_TRUE(exists("npt.html"));
  EXPECT_EQ(status_of(ran(report_command(), {folder_ / "npt.json", "-o", folder_ / "x.html"})), core::Exit::pass);
  EXPECT_EQ(folder_.read("x.html"), folder_.read("npt.html"));
}

TEST_F(Commands, ReportAsTextNeedsNoGnuplot) {
  const test::EnvironmentVariable path("PATH", folder_.path());
  const auto text = ran(report_command(), {"--text", result()});
  EXPECT_EQ(status_of(text), core::Exit::pass);
  EXPECT_THAT(text.printed, HasSubstr("Verdict:"));
  if (!core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is in /usr/sbin";
}

// Each kind of page keeps its tables, and says why it has no plots; of what is drawn by ourselves nothing is missing.
TEST_F(Commands, WithoutGnuplotAPageKeepsItsTables) {
  test::TemporaryFolder nights;
  for (unsigned day = 0; day < 12; ++day)
    ASSERT_TRUE(core::write_run(nights / (std::to_string(day) + ".json"), test::nightly_run(day, 1)));
  ASSERT_TRUE(core::write_run(folder_ / "other.json", test::single_phase_run()));
  const test::EnvironmentVariable path("PATH", folder_.path());
  if (!core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is in /usr/sbin";
  const auto page_of = [&](const core::Command& command, core::Arguments arguments) {
    arguments.insert(arguments.end(), {"-o", folder_ / "page.html"});
    ::testing::internal::CaptureStderr();
    const auto answer = ran(command, arguments);
    EXPECT_EQ(status_of(answer), core::Exit::pass) << error_of(answer);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("gnuplot is not installed, so the page has no plots"));
    const std::string page = folder_.read("page.html");
    EXPECT_THAT(page, HasSubstr("<p class=\"warning\">gnuplot is not installed, so the page has no plots;"));
    EXPECT_THAT(page, Not(HasSubstr("class=\"plot")));
    EXPECT_THAT(page, HasSubstr("</html>"));
    return page;
  };
  const std::string report = page_of(report_command(), {result()});
  EXPECT_THAT(report, HasSubstr("Latency by CPU"));
  EXPECT_THAT(report, HasSubstr("class=\"heat\""));
  const std::string compared = page_of(compare_command(), {result(), folder_ / "other.json"});
  EXPECT_THAT(compared, HasSubstr("<td>p99.9</td>"));
  const std::string series = page_of(report_command(), {"--series", nights.path()});
  EXPECT_THAT(series, HasSubstr("aria-label=\"Trend\""));
}

TEST_F(Commands, ReportOfWhatIsNoResultIsAnError) {
  folder_.write("empty.json", "");
  folder_.write("other.json", "{\"schema\": \"something\"}");
  const std::string whole = folder_.read("result.json");
  folder_.write("half.json", whole.substr(0, whole.size() / 2));
  for (const char* name : {"empty.json", "other.json", "half.json", "missing.json"}) {
    for (const auto* command : {&report_command(), &gate_command()}) {
      core::Arguments arguments = {folder_ / name};
      if (command == &gate_command()) arguments.insert(arguments.end(), {"--max", "1s"});
      const auto answer = ran(*command, arguments);
      EXPECT_EQ(status_of(answer), core::Exit::error) << name;
      EXPECT_THAT(error_of(answer), HasSubstr(name));
      EXPECT_EQ(answer.printed, "");
    }
  }
  EXPECT_THAT(error_of(ran(report_command(), {"/proc"})), HasSubstr("has no result.json"));
  EXPECT_EQ(status_of(ran(report_command(), {})), core::Exit::error);
  EXPECT_EQ(status_of(ran(report_command(), {"a", "b"})), core::Exit::error);
}

TEST_F(Commands, ReportOnAFullDiskIsAnError) {
  EXPECT_EQ(status_of(ran(report_command(), {result(), "--text", "-o", "/dev/full"})), core::Exit::error);
  if (core::find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  for (core::Arguments arguments : {core::Arguments{result()}, {"--series", folder_.path()}}) {
    arguments.insert(arguments.end(), {"-o", "/dev/full"});
    const Ran answer = ran(report_command(), arguments);
    EXPECT_EQ(status_of(answer), core::Exit::error);
    EXPECT_EQ(answer.printed, "") << "a defect: its path was printed before it was written";
  }
}

TEST_F(Commands, GateAnswersWithItsExitStatus) {
  using Exit = core::Exit;
  const auto gate = [&](core::Arguments limits) {
    limits.insert(limits.begin(), result());
    return ran(gate_command(), limits);
  };
  EXPECT_EQ(status_of(gate({"--max", "22us"})), Exit::pass);
  EXPECT_EQ(status_of(gate({"--max", "22000ns"})), Exit::pass);
  EXPECT_EQ(status_of(gate({"--max", "21999ns"})), Exit::limit_exceeded);
  EXPECT_EQ(status_of(gate({"--quantile", "p99.99=20us", "--exposure", "10s"})), Exit::pass);
  EXPECT_EQ(status_of(gate({"--quantile", "p99.99=20us", "--quantile=p50=1ns"})), Exit::limit_exceeded);
  EXPECT_EQ(status_of(gate({"--exposure", "1m"})), Exit::limit_exceeded);
  EXPECT_EQ(status_of(gate({"--mean", "1us", "--phase", "npt"})), Exit::pass);
  EXPECT_EQ(status_of(gate({"--max", "1s", "--phase", "cyclictest"})), Exit::invalid);
  const auto without_loads = gate({"--load-alive"});
  EXPECT_EQ(status_of(without_loads), Exit::invalid);
  EXPECT_THAT(without_loads.printed, HasSubstr("not measured: no phase of the run has a load"));
}

TEST_F(Commands, GatePrintsItsRulesAndWritesTheVerdict) {
  const auto answer = ran(gate_command(), {result(), "--max", "21us", "--json", folder_ / "judged.json"});
  EXPECT_THAT(answer.printed, HasSubstr("npt: max_ns"));
  EXPECT_THAT(answer.printed, HasSubstr("<= 21000 ns (21.0 us)"));
  EXPECT_THAT(answer.printed, HasSubstr("verdict: fail"));
  EXPECT_THAT(answer.printed, HasSubstr("  - limit exceeded: npt: max_ns is 22000 ns (22.0 us, CPU 0), limit <= 21000 "
                                        "ns (21.0 us)\n"))
      << "whole, because the table cuts the names of long phases";
  const auto judged = core::read_run(folder_ / "judged.json");
  ASSERT_TRUE(judged) << judged.error().text;
  EXPECT_EQ(judged->verdict.kind, core::Verdict::Kind::fail);
  EXPECT_EQ(ran(gate_command(), {result(), "-q", "--max", "21us"}).printed, "");
}

// A defect: the verdict that had been written was forgotten by whoever judged the file again.
TEST_F(Commands, GateKeepsWhatItJudgedByForTheNext) {
  using Exit = core::Exit;
  const std::string judged = folder_ / "judged.json", twice = folder_ / "twice.json";
  folder_.write("box.toml", "name = \"box 17\"\n[[limits]]\nmax = \"21us\"\n");
  folder_.write("wide.toml", "[[limits]]\nmax = \"1s\"\n");
  ASSERT_EQ(status_of(ran(gate_command(), {result(), "--file", folder_ / "box.toml", "--json", judged})),
            Exit::limit_exceeded);
  EXPECT_EQ(status_of(ran(gate_command(), {judged})), Exit::limit_exceeded);
  EXPECT_EQ(status_of(ran(gate_command(), {judged, "--exposure", "1s"})), Exit::limit_exceeded);
  EXPECT_EQ(status_of(ran(gate_command(), {judged, "--file", folder_ / "wide.toml"})), Exit::pass);
  // Limits given as options are kept, too, behind those of a gate.
  ASSERT_EQ(status_of(ran(gate_command(), {result(), "--file", folder_ / "wide.toml", "--quantile", "p50=1ns",
                                           "--phase", "npt", "--load-alive", "--json", judged})),
            Exit::limit_exceeded);
  const auto again = ran(gate_command(), {judged, "--json", twice});
  EXPECT_EQ(status_of(again), Exit::limit_exceeded);
  for (const char* row : {"npt: max_ns", "npt: p50_ns", "npt: load_alive"}) EXPECT_THAT(again.printed, HasSubstr(row));
  EXPECT_EQ(core::read_run(judged)->gate_text, core::read_run(twice)->gate_text);
  folder_.write("inline.toml", "limits = [{ max = \"1s\" }]\n");
  EXPECT_THAT(
      error_of(ran(gate_command(), {result(), "--file", folder_ / "inline.toml", "--max", "1s", "--json", judged})),
      HasSubstr("--json: "));
}

TEST_F(Commands, GateTellsEachFailureOnceBelowItsTable) {
  const auto count = [](const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const auto failed = ran(gate_command(), {result(), "--max", "21us"});
  EXPECT_EQ(count(failed.printed, "22.0 us"), 2u) << failed.printed;
  EXPECT_EQ(count(failed.printed, "limit exceeded"), 1u) << failed.printed;
  auto run = test::single_phase_run();
  run.phases[0].status = core::PhaseStatus::invalid;
  run.phases[0].reason = "the task was throttled";
  ASSERT_TRUE(core::write_run(folder_ / "invalid.json", run));
  const auto invalid = ran(gate_command(), {folder_ / "invalid.json", "--max", "1s", "--exposure", "1s"});
  EXPECT_EQ(count(invalid.printed, "the task was throttled"), 1u) << invalid.printed;
}

TEST_F(Commands, GateNamesThePhasesWhereThereIsNoSuch) {
  const auto answer = ran(gate_command(), {result(), "--max", "1s", "--phase", "foo"});
  EXPECT_EQ(status_of(answer), core::Exit::invalid);
  EXPECT_THAT(answer.printed, HasSubstr("no such phase in the run; it has npt"));
}

TEST_F(Commands, GateMistakesAreErrorsNotVerdicts) {
  for (const core::Arguments& wrong : std::vector<core::Arguments>{{},
                                                                   {"--max"},
                                                                   {"--max", "fast"},
                                                                   {"--max", "50"},
                                                                   {"--quantile", "p99=50"},
                                                                   {"--exposure", "60"},
                                                                   {"--max", "-5"},
                                                                   {"--quantile", "p99"},
                                                                   {"--quantile", "q99=1us"},
                                                                   {"--quantile", "p101=1us"},
                                                                   {"--surprise"}}) {
    core::Arguments arguments = wrong;
    arguments.insert(arguments.begin(), result());
    const auto answer = ran(gate_command(), arguments);
    EXPECT_EQ(status_of(answer), core::Exit::error) << ::testing::PrintToString(wrong);
    EXPECT_EQ(answer.printed, "");
  }
}

TEST_F(Commands, GateTakesTheGateOfTheRunItself) {
  EXPECT_THAT(error_of(ran(gate_command(), {folder_.path()})), HasSubstr("no limit given"));
  auto run = test::single_phase_run();
  run.gate_text = "name = \"of the run\"\n[[limits]]\nphase = \"npt\"\nmax = \"21us\"\n";
  ASSERT_TRUE(core::write_run(result(), run));
  for (const std::string& named : {folder_.path(), result()})
    EXPECT_EQ(status_of(ran(gate_command(), {named})), core::Exit::limit_exceeded);
  EXPECT_EQ(status_of(ran(gate_command(), {result(), "--max", "1s"})), core::Exit::limit_exceeded) << "beside it";
  folder_.write("wide.toml", "[[limits]]\nmax = \"1s\"\n");
  EXPECT_EQ(status_of(ran(gate_command(), {result(), "--file", folder_ / "wide.toml"})), core::Exit::pass);
  const auto for_nothing = ran(gate_command(), {folder_.path(), "--phase", "npt"});
  EXPECT_THAT(error_of(for_nothing), HasSubstr("--phase chooses the phases of limits that are given as options"));
}

// A defect: `maxlat run` failed by its plan, and the gate passed what it had left.
TEST_F(Commands, GateNeverPassesWhatFailsByThePlanOfTheRun) {
  auto run = test::single_phase_run();
  run.plan = "nightly";
  run.plan_text = "[[phase]]\nname = \"npt\"\nkind = \"npt\"\n[phase.limits]\nmax = \"21us\"\n";
  ASSERT_TRUE(core::write_run(result(), run));
  folder_.write("box.toml", "[[limits]]\nexposure = \"1s\"\n");
  const core::Arguments box = {result(), "--file", folder_ / "box.toml"};
  for (const core::Arguments& arguments : {core::Arguments{result()}, {result(), "--exposure", "1s"}, box}) {
    const auto answer = ran(gate_command(), arguments);
    EXPECT_EQ(status_of(answer), core::Exit::limit_exceeded) << ::testing::PrintToString(arguments);
    EXPECT_THAT(answer.printed, HasSubstr("\nnpt: max_ns"));
  }
  run.gate_text = "[[limits]]\nexposure = \"1s\"\n";
  ASSERT_TRUE(core::write_run(result(), run));
  EXPECT_EQ(status_of(ran(gate_command(), {result()})), core::Exit::limit_exceeded);
  // Its waivers count for the plan, as in the run.
  run.gate_text += "[[waiver]]\nlimit = \"max\"\nreason = \"known\"\nuntil = 9999-12-31\n";
  ASSERT_TRUE(core::write_run(result(), run));
  EXPECT_EQ(status_of(ran(gate_command(), {result()})), core::Exit::pass);

  run.plan_text = "[[phase]]\nname = \"npt\"\n[phase.limits]\nmux = \"21us\"\n";
  ASSERT_TRUE(core::write_run(result(), run));
  const auto damaged = ran(gate_command(), {result(), "--max", "1s"});
  EXPECT_THAT(error_of(damaged), HasSubstr("result.json (its plan):4: limit 'mux': "));
}

TEST_F(Commands, GateDoesNotPrintATinyLimitAsZero) {
  folder_.write("box.toml", "[[limits]]\nphase = \"*\"\nabove_50us_ppm = 0.0000002\n");
  const auto answer = ran(gate_command(), {result(), "--file", folder_ / "box.toml"});
  EXPECT_THAT(answer.printed, HasSubstr("<= 2e-07")) << error_of(answer);
}

TEST_F(Commands, GateNamesTheSettingsThereAre) {
  folder_.write("box.toml", "[[limits]]\nphase = \"*\"\n\"setting gouvernor\" = true\n");
  const auto answer = ran(gate_command(), {result(), "--file", folder_ / "box.toml"});
  ASSERT_FALSE(answer.result);
  EXPECT_THAT(error_of(answer), HasSubstr("settings are preemption model, "));
}

TEST_F(Commands, GatePrintsNothingThatACiServerTakesForACommand) {
  auto run = test::single_phase_run();
  run.phases[0].name = "::error::x ##[command]";
  ASSERT_TRUE(core::write_run(result(), run));
  const auto answer = ran(gate_command(), {result(), "--max", "1s"});
  EXPECT_THAT(answer.printed, HasSubstr("\nphase ::error::x"));
  EXPECT_THAT(answer.printed, Not(HasSubstr("\n::")));
  EXPECT_THAT(answer.printed, Not(HasSubstr("##[")));
  run.phases[0].status = core::PhaseStatus::invalid;  // then a reason has the name of the phase
  run.phases[0].reason = "##[group]throttled";
  ASSERT_TRUE(core::write_run(result(), run));
  const auto reason = ran(gate_command(), {result(), "--max", "1s"});
  EXPECT_THAT(reason.printed, HasSubstr("throttled"));
  EXPECT_THAT(reason.printed, Not(HasSubstr("\n::")));
  EXPECT_THAT(reason.printed, Not(HasSubstr("##[")));
}

// A defect: it answered a rate, and a tail, of what the gate calls not measured.
TEST_F(Commands, PlanLengthSaysNothingOfARunThatWasToEndAtALimit) {
  ASSERT_EQ(status_of(ran(plan_length_command(), {result(), "--above", "20us"})), core::Exit::pass);
  auto run = test::single_phase_run();
  run.phases[0].facts[core::fact::kLimit] = "50.0 us";
  ASSERT_TRUE(core::write_run(result(), run));
  const auto refused = ran(plan_length_command(), {result(), "--above", "20us"});
  EXPECT_EQ(status_of(refused), core::Exit::invalid);
  EXPECT_THAT(error_of(refused), HasSubstr("it was to end at the first sample above 50.0 us"));
}

TEST_F(Commands, ReportInOtherForms) {
  const auto markdown = ran(report_command(), {result(), "--format", "md"});
  EXPECT_THAT(markdown.printed, HasSubstr("| phase | status |"));
  EXPECT_THAT(error_of(ran(report_command(), {result(), "--format", "doc"})), HasSubstr("there is no \"doc\""));
  EXPECT_THAT(error_of(ran(report_command(), {result(), "--format", "md", "--text"})), HasSubstr("two forms"));
  EXPECT_THAT(error_of(ran(report_command(), {result(), "--store", "x"})), HasSubstr("--store is of --series"));
}

TEST_F(Commands, ReportOfASeries) {
  const auto text = ran(report_command(), {"--series", "--text", folder_.path()});
  EXPECT_EQ(status_of(text), core::Exit::pass) << error_of(text);
  EXPECT_THAT(text.printed, HasSubstr("Series: 1 run"));
  EXPECT_THAT(error_of(ran(report_command(), {"--series"})), HasSubstr("needs a folder"));
  EXPECT_THAT(error_of(ran(report_command(), {"--series", folder_ / "none"})), HasSubstr("cannot read"));
  const test::TemporaryFolder empty;
  EXPECT_THAT(error_of(ran(report_command(), {"--series", empty.path()})), HasSubstr("holds no result"));
  EXPECT_THAT(error_of(ran(report_command(), {"--series", "--store", empty / "x", "--no-store", empty.path()})),
              HasSubstr("contradict"));
}

// A defect: a result that was emptied was passed over as another tool's.
TEST_F(Commands, AResultThatWasEmptiedIsAnError) {
  folder_.write("runs/good.json", core::to_json(test::single_phase_run()));
  folder_.write("runs/other.json", "{}");
  const core::Arguments compare = {folder_ / "runs", result()}, series = {"--series", "--text", folder_ / "runs"};
  EXPECT_EQ(status_of(ran(compare_command(), compare)), core::Exit::pass);
  for (const std::string& left : {std::string(), std::string(3000, '\0')}) {
    folder_.write("runs/emptied.json", left);
    for (const Ran& answer : {ran(compare_command(), compare), ran(report_command(), series)}) {
      EXPECT_EQ(status_of(answer), core::Exit::error);
      EXPECT_THAT(error_of(answer), HasSubstr("emptied.json"));
    }
  }
}

TEST_F(Commands, HelpFitsOneScreen) {
  for (const auto* command : {&report_command(), &gate_command()}) {
    const auto help = ran(*command, {"--help"});
    EXPECT_EQ(status_of(help), core::Exit::pass);
    EXPECT_LE(std::count(help.printed.begin(), help.printed.end(), '\n'), 50);
    EXPECT_THAT(help.printed, HasSubstr("Examples:"));
  }
}

// A defect: anything was taken as repeats of the same.
TEST_F(Commands, PlanLengthRefusesRunsThatAreNoRepeats) {
  core::RunResult one = test::single_phase_run(), other = one;
  one.id = "one", other.id = "other";
  one.machine = other.machine = {{"kernel", "1", {{"release", "6.1"}}}};
  const std::string first = folder_ / "one.json", second = folder_ / "other.json";
  ASSERT_TRUE(core::write_run(first, one));
  const auto told_of = [&] {
    EXPECT_TRUE(core::write_run(second, other));
    return ran(plan_length_command(), {first, second});
  };
  ASSERT_EQ(status_of(told_of()), core::Exit::pass);
  other.phases[0].arm = "maxlat:timer";
  const Ran otherwise = told_of();
  EXPECT_EQ(status_of(otherwise), core::Exit::invalid);
  EXPECT_THAT(error_of(otherwise), HasSubstr("the runs are no repeats of npt: not measured alike, arm: "));
  other = one;
  other.id = "other";
  other.machine = {{"kernel", "2", {{"release", "6.12"}}}};
  const Ran upgraded = told_of();
  EXPECT_EQ(status_of(upgraded), core::Exit::invalid);
  EXPECT_EQ(error_of(upgraded), "run other is no repeat of run one: kernel: release is 6.12, was 6.1");
}

}  // namespace
}  // namespace maxlat::reports
