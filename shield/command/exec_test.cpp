// SPDX-License-Identifier: MIT
#include "exec.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <maxlat/core/machine/tasks.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/shield/shield_command.hpp>
#include <maxlat/test/fake_root.hpp>
#include <thread>

#include "journal/journal.hpp"

namespace maxlat::shield {
namespace {

using testing::HasSubstr;

// The commands are real; the root has no cgroups, so that they are bound to a CPU and no more.
class Exec : public testing::Test {
 protected:
  core::Result<int> run(const std::string& script) const {
    const Surface surface(core::MachineView{.root = root_.path(), .measured_cpus = cpus_});
    return run_inside({"sh", "-c", script}, cpus_, surface);
  }
  std::string file(const std::string& name) const { return root_.path() + "/" + name; }
  // Of a shield of `cpus_` that a person has made in this boot.
  std::string journal_of(const std::vector<Change>& changes) const {
    const std::string journal = file("shield.journal");
    auto made = Journal::create(journal, {.boot_id = Surface(core::MachineView{}).boot_id(),
                                          .cpus = cpus_,
                                          .housekeeping = {cpus_.front() + 1},
                                          .since = ""});
    EXPECT_TRUE(made && made->append(changes));
    return journal;
  }
  std::string standing_file() const {
    std::ofstream(file("standing")) << "0\n";
    return file("standing");
  }
  // What the script writes into the file, once it is there.
  std::string awaited(const std::string& name) const {
    for (int round = 0; round < 6000; ++round) {
      if (const auto text = core::read_text(file(name)); text && !text->empty()) return *text;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << name << " does not come";
    return {};
  }

  test::FakeRoot root_;
  core::CpuList cpus_{core::allowed_cpus()->front()};
};

TEST_F(Exec, WhatIsNoProgramIsToldAsByAShell) {
  std::ofstream(file("text")) << "no program";
  const std::pair<std::string, int> cases[] = {
      {"no-such-program-here", 127}, {file("none"), 127}, {file("text"), 126}, {root_.path(), 126}};
  for (const auto& [name, status] : cases) {
    const auto program = program_of(name);
    ASSERT_FALSE(program) << name;
    EXPECT_EQ(static_cast<int>(program.error().exit_status), status) << name;
  }
  EXPECT_TRUE(program_of("sh"));
}

TEST_F(Exec, TheStatusIsTheCommandsAndItRunsOnTheCpus) {
  const auto ended = run("grep Cpus_allowed_list /proc/self/status > " + file("cpus") + "; exit 3");
  ASSERT_TRUE(ended) << ended.error().text;
  EXPECT_EQ(*ended, 3);
  EXPECT_THAT(awaited("cpus"), testing::EndsWith("\t" + core::to_string(cpus_)));
}

TEST_F(Exec, ACommandThatIsKilledIsTold) {
  EXPECT_EQ(*run("kill -9 $$"), 128 + SIGKILL);
}

TEST_F(Exec, ACommandThatIsNotThereIsAnError) {
  const Surface surface(core::MachineView{.root = root_.path(), .measured_cpus = cpus_});
  const auto ended = run_inside({"/no/such/command"}, cpus_, surface);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().text, HasSubstr("/no/such/command"));
}

// The command's end counts, not that of what it leaves behind.
TEST_F(Exec, ADaemonThatTheCommandLeavesBehindIsNotWaitedFor) {
  const auto ended = run("sleep 1000 > /dev/null 2>&1 & echo $! > " + file("daemon") + "; exit 4");
  ASSERT_TRUE(ended) << ended.error().text;
  EXPECT_EQ(*ended, 4);
  const pid_t daemon = std::stoi(awaited("daemon"));
  const auto task = core::task_of({}, static_cast<unsigned>(daemon));
  ASSERT_TRUE(task) << "it has gone, and was waited for";
  EXPECT_EQ(core::cpus_of({}, *task), cpus_) << "it has the shield's CPUs from its parent";
  ::kill(daemon, SIGKILL);
}

// SIGTERM is the command's to answer; that it ends nothing but the command is what lets the shield be undone.
TEST_F(Exec, SigtermGoesOnToTheCommandAndItsAnswerCounts) {
  const pid_t shielder = fork();
  if (shielder == 0) {
    const auto ended = run("trap 'exit 7' TERM; echo ready > " + file("ready") + "; while :; do sleep 0.01; done");
    ::_exit(ended ? *ended : 99);
  }
  awaited("ready");
  ::kill(shielder, SIGTERM);
  int status = 0;
  waitpid(shielder, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "SIGTERM ended the one that has to undo the shield";
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

// A defect: in a shield that is on, exec ignored --smt and --mount.
TEST_F(Exec, WhatOnlyANewShieldCanHaveIsRefusedInOneThatIsOn) {
  const std::string journal = journal_of({{.kind = Change::Kind::complete}});
  for (const char* option : {"--smt", "--timers", "--mount"}) {
    const auto refused = shield_command().run({"exec", "--journal", journal, option, "--", "true"});
    ASSERT_FALSE(refused) << option;
    EXPECT_EQ(refused.error().text,
              "a shield of CPU " + core::to_string(cpus_) + " is on: --smt, --timers and --mount are for a new one");
  }
}

// A defect: it ran in whatever a shield that was cut off had made so far.
TEST_F(Exec, AShieldThatDidNotComeToItsEndIsNoneToRunIn) {
  const std::string journal = journal_of({{.path = standing_file(), .before = "1", .wanted = "0"}});
  const auto refused = shield_command().run({"exec", "--journal", journal, "--", "true"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "there is a shield that did not come to its end");
}

TEST_F(Exec, WhatHasDriftedIsSaid) {
  std::ofstream(file("setting")) << "1\n";
  const std::string journal = journal_of({{.path = standing_file(), .before = "1", .wanted = "0"},
                                          {.path = file("setting"), .before = "1", .wanted = "0"},
                                          {.kind = Change::Kind::complete}});
  testing::internal::CaptureStderr();
  const auto ended = shield_command().run({"exec", "--journal", journal, "--", "true"});
  const std::string said = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(ended) << ended.error().text;
  EXPECT_EQ(*ended, core::Exit::pass);
  EXPECT_THAT(said, HasSubstr("setting is no longer 0"));
}

}  // namespace
}  // namespace maxlat::shield
