// SPDX-License-Identifier: MIT
//
// `maxlat load` as a user meets it: what it prints, what it writes, how it ends.
#include <gmock/gmock.h>
#include <sched.h>

#include <algorithm>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/loadgen/load_command.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace maxlat::loadgen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Outcome {
  core::Result<core::Exit> result;
  std::string output;
};

Outcome run(const core::Arguments& arguments) {
  testing::internal::CaptureStdout();
  core::Result<core::Exit> result = load_command().run(arguments);
  return {std::move(result), testing::internal::GetCapturedStdout()};
}

std::string first_cpu() {
  return std::to_string(core::allowed_cpus()->front());
}

TEST(LoadCommand, ListsEveryLoad) {
  const Outcome outcome = run({"--list"});
  ASSERT_TRUE(outcome.result);
  for (const LoadKind& kind : load_kinds()) EXPECT_THAT(outcome.output, HasSubstr(std::string(kind.about)));
}

TEST(LoadCommand, WritesAPhaseOfKindLoadWithTheProgressOfEachSecond) {
  const test::TemporaryFolder folder;
  const std::string json = folder / "run.json";
  const Outcome outcome = run({"cpu", "-a", first_cpu(), "-D", "1s", "-q", "--json", json});
  ASSERT_TRUE(outcome.result) << outcome.result.error().text;
  EXPECT_EQ(*outcome.result, core::Exit::pass);
  EXPECT_THAT(outcome.output, IsEmpty());

  const core::Result<core::RunResult> run = core::read_run(json);
  ASSERT_TRUE(run) << run.error().text;
  ASSERT_THAT(run->phases, SizeIs(1));
  const core::Phase& phase = run->phases.front();
  EXPECT_EQ(phase.kind, "load");
  EXPECT_EQ(phase.status, core::PhaseStatus::ok);
  EXPECT_GE(phase.duration_s, 1);
  EXPECT_EQ(phase.command, "maxlat load cpu -a " + first_cpu() + " -D 1s -q --json " + json);
  ASSERT_THAT(phase.load, SizeIs(1));
  EXPECT_TRUE(phase.load.front().alive);
  ASSERT_THAT(phase.load.front().progress, SizeIs(1));
  EXPECT_GT(phase.load.front().progress.front(), 0);
}

TEST(LoadCommand, ALoadThatDiesEndsItWithStatusThreeAndTheResultIsWritten) {
  const test::TemporaryFolder folder;
  const std::string json = folder / "run.json";
  const Outcome outcome =
      run({"cpu", "command:sh -c 'sleep 1.5; exit 7'", "-a", first_cpu(), "-D", "1h", "--json", json});
  ASSERT_FALSE(outcome.result);
  EXPECT_EQ(outcome.result.error().exit_status, core::Exit::invalid);
  EXPECT_EQ(outcome.result.error().text, "load 'command' died: sh ended with exit status 7");
  EXPECT_THAT(outcome.output, HasSubstr("died: sh ended with exit status 7"));
  const core::Result<core::RunResult> run = core::read_run(json);
  ASSERT_TRUE(run) << run.error().text;
  const core::Phase& phase = run->phases.front();
  EXPECT_EQ(phase.status, core::PhaseStatus::invalid);
  EXPECT_TRUE(phase.load[0].alive);
  EXPECT_FALSE(phase.load[1].alive);
}

TEST(LoadCommand, MistakesAreErrorsOfStatusOne) {
  for (const core::Arguments& arguments : std::vector<core::Arguments>{{},
                                                                       {"no-such-load"},
                                                                       {"cpu", "-D", "soon"},
                                                                       {"cpu", "-a", "65000"},
                                                                       {"cpu", "--seed", "3"},
                                                                       {"control"},
                                                                       {"control", "-a", "0", "-D", "1s"},
                                                                       {"control", "-a", "0", "--stalls", "0"},
                                                                       {"control", "-a", "0", "--stalls", "50us,"}}) {
    const Outcome outcome = run(arguments);
    ASSERT_FALSE(outcome.result) << testing::PrintToString(arguments);
    EXPECT_EQ(outcome.result.error().exit_status, core::Exit::error) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.output, IsEmpty());
  }
}

TEST(LoadCommand, ControlPrintsARowForEachStall) {
  const sched_param other{.sched_priority = 0}, fifo{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &fifo) != 0) GTEST_SKIP() << "no permission for SCHED_FIFO";
  sched_setscheduler(0, SCHED_OTHER, &other);
  const Outcome outcome =
      run({"control", "-a", first_cpu(), "--stalls", "20us,1ms", "--repeats", "2", "--spacing", "1ms"});
  ASSERT_TRUE(outcome.result) << outcome.result.error().text;
  std::istringstream lines(outcome.output);
  std::string header;
  std::getline(lines, header);
  EXPECT_EQ(header.front(), '#');
  std::vector<uint64_t> planted;
  for (uint64_t cpu, planted_ns, actual_ns, begin_ns; lines >> cpu >> planted_ns >> actual_ns >> begin_ns;) {
    EXPECT_GE(actual_ns, planted_ns);
    planted.push_back(planted_ns);
  }
  std::sort(planted.begin(), planted.end());
  EXPECT_THAT(planted, ElementsAre(20'000, 20'000, 1'000'000, 1'000'000));
}

}  // namespace
}  // namespace maxlat::loadgen
