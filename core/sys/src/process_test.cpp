// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <thread>

namespace maxlat::core {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

ProcessSpec shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.standard_output = ProcessSpec::Output::capture;
  return spec;
}

// Gone, or dead and waiting for a parent that does not care (in a container nobody may reap orphans).
bool is_dead(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return true;
  const char state = line[line.rfind(')') + 2];
  return state == 'Z' || state == 'X';
}

bool dies_soon(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    if (is_dead(pid)) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

// Lets the child run until it has written a whole line, a process number; a child that cannot fails the test by its
// end.
pid_t pid_from_file(const std::string& path, Child* child = nullptr) {
  for (int i = 0; i < 1000; ++i) {
    std::ifstream file(path);
    pid_t pid = 0;
    if (file >> pid && file.peek() == '\n') return pid;
    if (child == nullptr)
      std::this_thread::sleep_for(10ms);
    else if (child->wait_for(10ms))
      break;
  }
  ADD_FAILURE() << "no process number in " << path;
  return -1;
}

class Process : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

TEST_F(Process, MissingProgramNamesItsPackage) {
  ProcessSpec spec;
  spec.argv = {"no-such-program-here"};
  const auto child = Child::start(spec);
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error().text, "no-such-program-here: command not found");
  EXPECT_EQ(child.error().exit_status, Exit::cannot_run);
  const std::string path = getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  spec.argv = {"cyclictest"};
  if (find_program("cyclictest").empty()) {
    EXPECT_EQ(Child::start(spec).error().hint, "apt install rt-tests");
  }
  setenv("PATH", path.c_str(), 1);
}

TEST_F(Process, ErrorsOfTheChildReachUs) {
  const std::string file = folder_ / "not-a-program";
  std::ofstream(file) << "text\n";
  chmod(file.c_str(), 0755);
  ProcessSpec spec;
  spec.argv = {file};
  EXPECT_THAT(Child::start(spec).error().text, HasSubstr("exec format error"));
  spec.argv = {"true"};
  spec.directory = folder_ / "nowhere";
  EXPECT_THAT(Child::start(spec).error().text, HasSubstr("no such file or directory"));
  spec.directory.clear();
  spec.cpus = {60000};
  EXPECT_THAT(Child::start(spec).error().text, HasSubstr("CPU 60000 does not exist"));
  spec.argv.clear();
  EXPECT_FALSE(Child::start(spec).ok());
}

TEST_F(Process, StatusSignalAndOutputComeBack) {
  const auto end = run_process(shell("echo out; echo err >&2; exit 3"), 10s);
  ASSERT_TRUE(end.ok());
  EXPECT_EQ(end->exit_status, 3);
  EXPECT_EQ(end->standard_output, "out\n");
  EXPECT_EQ(end->standard_error, "err\n");
  EXPECT_EQ(end->text(), "ended with exit status 3");
  EXPECT_FALSE(end->succeeded());
  const auto killed = run_process(shell("kill -9 $$"), 10s);
  EXPECT_EQ(killed->signal, SIGKILL);
  EXPECT_EQ(killed->text(), "was killed by signal 9 (Killed)");
  EXPECT_FALSE(killed->succeeded());
  EXPECT_TRUE(run_process(shell("exit 0"), 10s)->succeeded());
}

TEST_F(Process, NoShellLooksAtTheArguments) {
  ProcessSpec spec;
  spec.argv = {"printf", "%s|", "$HOME", "a b", "*", "`id`", ""};
  spec.standard_output = ProcessSpec::Output::capture;
  EXPECT_EQ(run_process(spec, 10s)->standard_output, "$HOME|a b|*|`id`||");
}

// Defect this watches: a child that fills both pipes stops for ever when only one is read, or none.
TEST_F(Process, TenMegabytesOnBothStreams) {
  auto spec = shell("head -c 10000000 /dev/zero; head -c 10000000 /dev/zero >&2");
  spec.capture_limit = 1000;
  const auto end = run_process(spec, 60s);
  ASSERT_TRUE(end.ok());
  EXPECT_TRUE(end->succeeded());
  EXPECT_EQ(end->standard_output.size(), 1000u);
  EXPECT_EQ(end->standard_error.size(), 1000u);
  spec.capture_limit = 20'000'000;
  EXPECT_EQ(run_process(spec, 60s)->standard_output.size(), 10'000'000u);
}

// Defect this watches: reading "until there is no more" never ends with a child that writes faster.
TEST_F(Process, ATalkativeChildDoesNotHoldUpTheLimit) {
  ProcessSpec spec;
  spec.argv = {"yes"};
  spec.standard_output = ProcessSpec::Output::capture;
  const auto end = run_process(spec, 50ms);
  ASSERT_FALSE(end.ok());
  EXPECT_THAT(end.error().text, HasSubstr("yes did not end within 50 ms"));
}

TEST_F(Process, ChildThatIgnoresSigtermIsKilled) {
  auto child = Child::start(shell("trap '' TERM; echo $$ > " + (folder_ / "pid") + "; while :; do sleep 1; done"));
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(pid_from_file(folder_ / "pid", &*child), child->pid());
  EXPECT_FALSE(child->wait_for(0ms).has_value());
  const ProcessEnd end = child->stop(50ms);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_EQ(child->stop().signal, SIGKILL);  // again: the same end
  EXPECT_EQ(child->wait_for(0ms)->signal, SIGKILL);
}

TEST_F(Process, StopLetsAWellBehavedChildFinish) {
  auto child = Child::start(
      shell("trap 'echo bye; exit 7' TERM; echo $$ > " + (folder_ / "pid") + "; while :; do sleep 0.01; done"));
  ASSERT_TRUE(child.ok());
  pid_from_file(folder_ / "pid", &*child);
  const ProcessEnd end = child->stop(20s);
  EXPECT_EQ(end.exit_status, 7);
  EXPECT_EQ(end.standard_output, "bye\n");
}

TEST_F(Process, GrandchildrenAreGoneAfterStop) {
  auto child = Child::start(shell("(trap '' TERM; sleep 1000 & echo $! > " + (folder_ / "grandchild") + "; wait); :"));
  ASSERT_TRUE(child.ok());
  const pid_t grandchild = pid_from_file(folder_ / "grandchild", &*child);
  ASSERT_FALSE(is_dead(grandchild));
  child->stop(10ms);
  EXPECT_TRUE(dies_soon(grandchild));
}

TEST_F(Process, GrandchildrenAreGoneWhenTheProgramEndsByItself) {
  const auto end = run_process(shell("sleep 1000 & echo $! > " + (folder_ / "grandchild") + "; exit 5"), 10s);
  EXPECT_EQ(end->exit_status, 5);  // and did not wait for the grandchild, which holds the pipe open
  EXPECT_TRUE(dies_soon(pid_from_file(folder_ / "grandchild")));
}

TEST_F(Process, OutOfScopeIsDead) {
  pid_t pid = -1;
  {
    auto child = Child::start(shell("sleep 1000; :"));
    Child moved = *std::move(child);
    pid = moved.pid();
    EXPECT_FALSE(is_dead(pid));
  }
  EXPECT_TRUE(is_dead(pid));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no zombie, no guard left
  EXPECT_EQ(errno, ECHILD);
}

// A process that starts a child and is killed with SIGKILL: the program and its workers die too.
TEST_F(Process, DeathOfTheParentKillsTheWholeGroup) {
  const pid_t parent = fork();
  if (parent == 0) {
    auto child = Child::start(
        shell("sleep 1000 & echo $! > " + (folder_ / "grandchild") + "; echo $$ > " + (folder_ / "child") + "; wait"));
    if (child.ok()) child->wait_for(1000s);
    _exit(0);
  }
  const pid_t child = pid_from_file(folder_ / "child"), grandchild = pid_from_file(folder_ / "grandchild");
  ASSERT_FALSE(is_dead(child));
  ASSERT_FALSE(is_dead(grandchild));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(dies_soon(child));
  EXPECT_TRUE(dies_soon(grandchild));
}

TEST_F(Process, AffinityEnvironmentAndDirectoryAreTheChilds) {
  auto spec = shell("grep Cpus_allowed_list /proc/self/status; echo $MAXLAT_TEST; echo ${HOME:+home}; pwd");
  spec.cpus = {assignable_cpus()->back()};
  spec.environment = {{"MAXLAT_TEST", "first value"}};
  spec.directory = folder_.path();
  setenv("MAXLAT_TEST", "of the parent", 1);
  const auto end = run_process(spec, 10s);
  EXPECT_EQ(end->standard_output, "Cpus_allowed_list:\t" + std::to_string(spec.cpus[0]) + "\nfirst value\n" +
                                      (getenv("HOME") ? "home\n" : "\n") +
                                      std::filesystem::canonical(folder_.path()).string() + "\n");
  EXPECT_STREQ(getenv("MAXLAT_TEST"), "of the parent");
}

TEST_F(Process, ChildStartsClean) {
  std::thread([] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    ::signal(SIGUSR1, SIG_IGN);
    const auto end = run_process(
        shell("grep -E 'SigBlk|SigIgn' /proc/self/status; readlink /proc/$$/fd/0; ps -o pgid= -p $$ | tr -d ' ' | "
              "grep -c \"^$$\\$\""),
        10s);
    ::signal(SIGUSR1, SIG_DFL);
    EXPECT_EQ(end->standard_output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n/dev/null\n1\n");
  }).join();
}

TEST_F(Process, NoDescriptorOfOursLeaksIn) {
  const int leaked = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  ProcessSpec spec;
  spec.argv = {"ls", "/proc/self/fd"};
  spec.standard_output = ProcessSpec::Output::capture;
  EXPECT_EQ(run_process(spec, 10s)->standard_output, "0\n1\n2\n3\n");  // 3 is the directory that ls reads
  close(leaked);
}

TEST_F(Process, PidfdTellsTheEnd) {
  auto child = Child::start(shell("exit 4"));
  ASSERT_TRUE(child.ok());
  EXPECT_GE(child->pidfd(), 0);
  EXPECT_EQ(child->wait_for(10s)->exit_status, 4);
}

TEST_F(Process, CpuTimeOfTheGroupGrows) {
  auto child = Child::start(shell("while :; do :; done & while :; do :; done"));
  ASSERT_TRUE(child.ok());
  while (child->cpu_seconds() < 0.05) ASSERT_FALSE(child->wait_for(10ms).has_value());
  const double before = child->cpu_seconds();
  child->stop(0ms);
  EXPECT_GE(child->cpu_seconds(), before);  // kept after the end
}

TEST_F(Process, PathsAndQuoting) {
  EXPECT_THAT(find_program("sh"), StartsWith("/"));
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program(""), "");
  EXPECT_EQ(find_program("/bin"), "");  // a directory may be "executed"
  EXPECT_EQ(own_executable(), std::filesystem::canonical("/proc/self/exe"));
  const std::vector<std::string> argv{"printf", "%s|", "it's", "a b", "", "$x", "--plain=1,2"};
  EXPECT_EQ(quote_command(argv), "printf '%s|' 'it'\\''s' 'a b' '' '$x' --plain=1,2");
  EXPECT_EQ(run_process(shell(quote_command(argv)), 10s)->standard_output, "it's|a b||$x|--plain=1,2|");
}

}  // namespace
}  // namespace maxlat::core
