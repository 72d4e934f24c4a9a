// SPDX-License-Identifier: MIT
#include "process_start.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/shield_door.hpp>
#include <string_view>

extern char** environ;  // NOLINT: POSIX

namespace maxlat::core {
namespace {

struct Pipe {
  base::Descriptor read, write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = base::Descriptor(ends[0]);
    write = base::Descriptor(ends[1]);
    return true;
  }
};

// Which step failed in the child, and how; written to the report pipe, which a successful execve() closes empty.
enum class Step : int { affinity, directory, streams, exec };
struct Failure {
  Step step;
  int errno_value;
};

// Everything the child needs, made before fork(): after it, in a program with threads, nothing may be allocated.
struct ChildPlan {
  std::string program;
  std::vector<char*> argv, envp;
  std::vector<std::string> environment;  // owns the strings of envp that are ours
  std::string shield_file;               // empty, or what lets it come into the shield whose CPUs it is to have
  AffinityMask cpus;
  const char* directory = nullptr;
  int in_fd = -1, out_fd = -1, err_fd = -1;  // -1: inherited
  int report_fd = -1, go_fd = -1;
  pid_t parent = -1;
};

ChildPlan make_plan(const ProcessSpec& spec, std::string program) {
  ChildPlan plan;
  plan.program = std::move(program);
  for (const std::string& argument : spec.argv) plan.argv.push_back(const_cast<char*>(argument.c_str()));
  plan.argv.push_back(nullptr);

  for (const auto& [name, value] : spec.environment) plan.environment.push_back(name + "=" + value);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool replaced = false;
    for (const auto& [name, value] : spec.environment)
      replaced = replaced || (std::string_view(*variable).starts_with(name) && (*variable)[name.size()] == '=');
    if (!replaced) plan.envp.push_back(*variable);
  }
  for (std::string& variable : plan.environment) plan.envp.push_back(variable.data());
  plan.envp.push_back(nullptr);

  plan.cpus = AffinityMask(spec.cpus);
  if (!spec.cpus.empty())
    if (const auto door = ShieldDoor::find(); door && door->leads_to(spec.cpus))
      plan.shield_file = door->process_file();
  if (!spec.directory.empty()) plan.directory = spec.directory.c_str();
  plan.parent = getpid();
  return plan;
}

[[noreturn]] void fail_in_child(const ChildPlan& plan, Step step) {
  const Failure failure{step, errno};
  // Nothing to do about a failed report: the status still says that there was no program.
  [[maybe_unused]] const ssize_t written = ::write(plan.report_fd, &failure, sizeof failure);
  _exit(127);
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number)
    ::signal(number, SIG_DFL);  // fails for SIGKILL and SIGSTOP: as it should
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Async-signal-safe calls only.
bool come_into(const char* shield_file) {
  const int file = ::open(shield_file, O_WRONLY | O_CLOEXEC);
  return file >= 0 && ::write(file, "0\n", 2) == 2;  // closed by execve()
}

// Async-signal-safe calls only.
[[noreturn]] void become_program(const ChildPlan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.parent) _exit(127);  // the parent died before the line above
  // Not before the guard stands: otherwise a parent killed between the two would leave grandchildren behind.
  char go = 0;
  while (read(plan.go_fd, &go, 1) < 0 && errno == EINTR) {
  }
  if (!plan.shield_file.empty() && !come_into(plan.shield_file.c_str())) fail_in_child(plan, Step::affinity);
  if (!plan.cpus.empty() && !plan.cpus.apply(0)) fail_in_child(plan, Step::affinity);
  if (plan.directory != nullptr && chdir(plan.directory) != 0) fail_in_child(plan, Step::directory);
  const int wanted[3] = {plan.in_fd, plan.out_fd, plan.err_fd};
  for (int fd = 0; fd < 3; ++fd) {
    if (wanted[fd] < 0) continue;
    if (dup2(wanted[fd], fd) < 0) fail_in_child(plan, Step::streams);
    fcntl(fd, F_SETFD, 0);  // where we were started without a standard stream, dup2() had nothing to do
  }
  // Descriptors of libraries that do not know O_CLOEXEC. Older kernels (before 5.11) do without.
  syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  reset_signals();
  execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  fail_in_child(plan, Step::exec);
}

// Waits for the end of our process, then kills the group. It holds nothing of ours open, and no signal ends it but
// SIGKILL, which it gets when the program has been reaped.
[[noreturn]] void guard_group(pid_t group, int parent_pidfd) {
  setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  dup2(parent_pidfd, 0);
  syscall(SYS_close_range, 1U, ~0U, 0U);
  pollfd parent{0, POLLIN, 0};
  while (poll(&parent, 1, -1) < 0 && errno == EINTR) {
  }
  kill(-group, SIGKILL);
  _exit(0);
}

Error failure_error(const ProcessSpec& spec, const Failure& failure) {
  switch (failure.step) {
    case Step::affinity:
      if (const auto usable = require_usable(spec.cpus); !usable) return usable.error();
      return system_error(fmt::format("cannot run {} on CPU {}", spec.argv[0], to_string(spec.cpus)),
                          failure.errno_value);
    case Step::directory:
      return system_error(fmt::format("cannot run {} in {}", spec.argv[0], spec.directory), failure.errno_value);
    case Step::streams:
      return system_error(fmt::format("cannot redirect the output of {}", spec.argv[0]), failure.errno_value);
    case Step::exec:
      break;
  }
  return system_error(
      fmt::format("cannot run {}", spec.argv[0]), failure.errno_value,
      failure.errno_value == ENOEXEC ? "it is not a program for this machine, or a script without #!" : "");
}

// Which Debian package brings a program that maxlat may want.
std::string package_hint(const std::string& program) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kPackages{{
      {"cyclictest", "rt-tests"},
      {"hackbench", "rt-tests"},
      {"stress-ng", "stress-ng"},
      {"gnuplot", "gnuplot-nox"},
      {"make", "make"},
      {"gcc", "gcc"},
      {"lttng", "lttng-tools"},
      {"babeltrace2", "babeltrace2"},
  }};
  for (const auto& [name, package] : kPackages)
    if (program == name) return fmt::format("apt install {}", package);
  return {};
}

bool is_program(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// The child that did not become the program, and its guard.
void end_both(const StartedProcess& started) {
  kill(-started.pid, SIGKILL);
  waitpid(started.pid, nullptr, 0);
  if (started.guard <= 0) return;
  kill(started.guard, SIGKILL);
  waitpid(started.guard, nullptr, 0);
}

}  // namespace

Result<StartedProcess> start_process(const ProcessSpec& spec) {
  if (spec.argv.empty()) return Error{"no command to run"};
  std::string program = find_program(spec.argv[0]);
  if (program.empty())
    return Error{fmt::format("{}: command not found", spec.argv[0]), package_hint(spec.argv[0]), Exit::cannot_run};

  Pipe report, go, out, err;
  base::Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  base::Descriptor ourselves(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  using Output = ProcessSpec::Output;
  if (!null || !ourselves || !report.open() || !go.open() || (spec.standard_output == Output::capture && !out.open()) ||
      (spec.standard_error == Output::capture && !err.open()))
    return system_error(fmt::format("cannot start {}", spec.argv[0]), errno);

  ChildPlan plan = make_plan(spec, std::move(program));
  const auto stream = [&](Output output, const Pipe& pipe) {
    if (output == Output::capture) return pipe.write.number();
    return output == Output::discard ? null.number() : -1;
  };
  plan.in_fd = null.number();
  plan.out_fd = stream(spec.standard_output, out);
  plan.err_fd = stream(spec.standard_error, err);
  plan.report_fd = report.write.number();
  plan.go_fd = go.read.number();

  StartedProcess started;
  started.pid = fork();
  if (started.pid < 0) return system_error(fmt::format("cannot start {}", spec.argv[0]), errno);
  if (started.pid == 0) become_program(plan);
  started.guard = fork();
  if (started.guard == 0) guard_group(started.pid, ourselves.number());
  // Without a guard (no process left to fork) the program itself still dies with us.
  const bool went = ::write(go.write.number(), "", 1) == 1;
  report.write = {};
  out.write = {};
  err.write = {};

  // Ends with execve(), which closes the pipe, or with the child's report.
  Failure failure{};
  ssize_t got = 0;
  while ((got = ::read(report.read.number(), &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  base::Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, started.pid, 0)));
  if (!went || got == static_cast<ssize_t>(sizeof failure) || !pidfd) {
    const Error error = got > 0 ? failure_error(spec, failure) : system_error("cannot watch a child process", errno);
    end_both(started);
    return error;
  }

  for (const Pipe* pipe : {&out, &err})
    if (pipe->read) fcntl(pipe->read.number(), F_SETFL, O_NONBLOCK);
  started.pidfd = std::move(pidfd);
  started.out = std::move(out.read);
  started.err = std::move(err.read);
  return started;
}

std::string find_program(const std::string& name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string::npos) return is_program(name) ? name : std::string();
  const char* path = std::getenv("PATH");
  // The meters live in /usr/sbin on some distributions, which is not in an ordinary user's PATH.
  const std::string places =
      std::string(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin") + ":/usr/local/sbin:/usr/sbin:/sbin";
  for (size_t begin = 0; begin <= places.size();) {
    const size_t end = std::min(places.find(':', begin), places.size());
    std::string candidate = places.substr(begin, end - begin) + "/" + name;
    if (end > begin && is_program(candidate)) return candidate;
    begin = end + 1;
  }
  return {};
}

}  // namespace maxlat::core
