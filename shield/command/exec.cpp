// SPDX-License-Identifier: MIT
#include "exec.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/shield_door.hpp>

namespace maxlat::shield {
namespace {

struct Entry {
  std::string shield_file;  // empty: there is no cpuset
  core::AffinityMask cpus;
  std::string program;
  std::vector<char*> argv;
};

enum class Failed : int { enter, exec };
struct Report {
  Failed step;
  int errno_value;
};

// Async-signal-safe calls only.
[[noreturn]] void enter_and_exec(const Entry& entry, int report_fd, const sigset_t& signals) {
  Report report{Failed::enter, 0};
  const bool has_group = !entry.shield_file.empty();
  const int group = has_group ? ::open(entry.shield_file.c_str(), O_WRONLY | O_CLOEXEC) : -1;
  const bool entered = has_group ? group >= 0 && ::write(group, "0\n", 2) == 2 : entry.cpus.apply(0);
  if (entered) {
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    execv(entry.program.c_str(), entry.argv.data());
    report.step = Failed::exec;
  }
  report.errno_value = errno;
  [[maybe_unused]] const ssize_t told = ::write(report_fd, &report, sizeof report);
  _exit(127);
}

// Until the command has ended. A daemon that it leaves behind is not waited for.
int wait_for(pid_t child, const sigset_t& watched) {
  while (true) {
    siginfo_t signal{};
    const int number = sigwaitinfo(&watched, &signal);
    if (number == SIGTERM || number == SIGHUP || (number == SIGINT && signal.si_code <= 0)) kill(child, number);
    int status = 0;
    if (number != SIGCHLD || waitpid(child, &status, WNOHANG) != child) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
}

}  // namespace

core::Result<std::string> program_of(const std::string& name) {
  constexpr auto kNotExecutable = static_cast<core::Exit>(126), kNotFound = static_cast<core::Exit>(127);
  std::string program = core::find_program(name);
  if (!program.empty()) return program;
  const bool is_there = name.find('/') != name.npos && ::access(name.c_str(), F_OK) == 0;
  return core::Error{name + (is_there ? ": cannot be executed" : ": command not found"), "",
                     is_there ? kNotExecutable : kNotFound};
}

core::Result<int> run_inside(const std::vector<std::string>& command, const core::CpuList& cpus,
                             const Surface& surface) {
  Entry entry;
  core::Result<std::string> program = program_of(command.front());
  if (!program) return program.error();
  entry.program = *std::move(program);
  for (const std::string& word : command) entry.argv.push_back(const_cast<char*>(word.c_str()));
  entry.argv.push_back(nullptr);
  entry.cpus = core::AffinityMask(cpus);
  if (const auto door = core::ShieldDoor::find(surface.view().root)) entry.shield_file = door->process_file();

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return core::system_error("cannot start " + command.front(), errno);
  const base::Descriptor report_read(ends[0]);
  base::Descriptor report_write(ends[1]);
  sigset_t watched, before;
  sigemptyset(&watched);
  for (const int number : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&watched, number);
  sigprocmask(SIG_BLOCK, &watched, &before);
  const pid_t child = fork();
  if (child == 0) enter_and_exec(entry, report_write.number(), before);
  const int fork_errno = errno;
  report_write = {};
  core::Result<int> ended = 0;
  Report report{};
  if (child < 0) {
    ended = core::system_error("cannot start " + command.front(), fork_errno);
  } else if (::read(report_read.number(), &report, sizeof report) == static_cast<ssize_t>(sizeof report)) {
    waitpid(child, nullptr, 0);
    ended = core::system_error(
        (report.step == Failed::enter ? "cannot bring into the shield: " : "cannot run ") + command.front(),
        report.errno_value);
  } else {
    ended = wait_for(child, watched);
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return ended;
}

}  // namespace maxlat::shield
