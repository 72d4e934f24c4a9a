// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <sstream>

#include "process_start.hpp"

namespace maxlat::core {
namespace {

using Clock = std::chrono::steady_clock;

// Reads what is there, without waiting, and closes at the end of the stream. A pipe holds at most 1 MiB
// (fs.pipe-max-size) once its writers are dead; the bound is for living ones that write faster than we read.
void drain_stream(base::Descriptor& stream, std::string& kept, size_t limit) {
  constexpr int kBlocks = 17;
  char block[65536];
  for (int i = 0; i < kBlocks && stream; ++i) {
    const ssize_t got = ::read(stream.number(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      stream = {};
      return;
    }
    if (kept.size() < limit) kept.append(block, std::min(static_cast<size_t>(got), limit - kept.size()));
  }
}

// Fields 5 (process group) and 14 to 17 (own and waited-for children's ticks) of /proc/PID/stat. The name before them
// may hold blanks and parentheses, so the fields are counted from the last one.
double group_member_ticks(const std::string& stat, pid_t group) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  int process_group = 0;
  unsigned long user = 0, system = 0;
  long children_user = 0, children_system = 0;
  const int fields =
      std::sscanf(stat.c_str() + name_end + 1, " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld",
                  &process_group, &user, &system, &children_user, &children_system);
  if (fields != 5 || process_group != group) return 0;
  return static_cast<double>(user) + static_cast<double>(system) + static_cast<double>(children_user) +
         static_cast<double>(children_system);
}

}  // namespace

std::string ProcessEnd::text() const {
  if (signal != 0) return fmt::format("was killed by signal {} ({})", signal, strsignal(signal));
  return fmt::format("ended with exit status {}", exit_status);
}

Result<Child> Child::start(const ProcessSpec& spec) {
  auto started = start_process(spec);
  if (!started) return started.error();
  Child child;
  child.pid_ = started->pid;
  child.guard_ = started->guard;
  child.pidfd_ = std::move(started->pidfd);
  child.out_ = std::move(started->out);
  child.err_ = std::move(started->err);
  child.capture_limit_ = spec.capture_limit;
  child.reaped_ = false;
  return child;
}

Child::Child(Child&& other) noexcept {
  *this = std::move(other);
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(guard_, other.guard_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(out_, other.out_);
  std::swap(err_, other.err_);
  std::swap(capture_limit_, other.capture_limit_);
  std::swap(cpu_seconds_at_end_, other.cpu_seconds_at_end_);
  std::swap(end_, other.end_);
  std::swap(reaped_, other.reaped_);
  return *this;
}

Child::~Child() {
  if (reaped_) return;
  signal(SIGKILL);
  reap();
}

void Child::drain() {
  drain_stream(out_, end_.standard_output, capture_limit_);
  drain_stream(err_, end_.standard_error, capture_limit_);
}

// REQUIRES: the program has ended, or will for certain (SIGKILL was sent). Between its end and wait4() its number, and
// so its group's, is taken: only then is it safe to kill what is left of the group.
void Child::reap() {
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  cpu_seconds_at_end_ = cpu_seconds();
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  end_guard();
  drain();
  if (WIFSIGNALED(status))
    end_.signal = WTERMSIG(status);
  else
    end_.exit_status = WEXITSTATUS(status);
}

void Child::end_guard() {
  if (guard_ < 0) return;
  ::kill(guard_, SIGKILL);
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guard_ = -1;
}

// A full pipe would stop the child for ever, so its streams are read while we wait. The end of the program is what ends
// the wait, not the end of its streams: a grandchild may hold those open.
std::optional<ProcessEnd> Child::wait_for(std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (!reaped_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    // A closed stream is -1, which poll() ignores.
    pollfd watched[] = {{pidfd_.number(), POLLIN, 0}, {out_.number(), POLLIN, 0}, {err_.number(), POLLIN, 0}};
    const int ready = ::poll(watched, 3, static_cast<int>(std::clamp<long long>(left, 0, 1'000'000)));
    if (ready < 0 && errno == EINTR) continue;
    drain();
    if (watched[0].revents != 0) {
      reap();
    } else if (Clock::now() >= deadline) {
      return std::nullopt;
    }
  }
  return end_;
}

void Child::signal(int number) {
  if (!reaped_) ::kill(-pid_, number);
}

ProcessEnd Child::stop(std::chrono::milliseconds grace) {
  signal(SIGTERM);
  // A group that was stopped (SIGSTOP) gets the SIGTERM only when it goes on.
  signal(SIGCONT);
  if (const auto end = wait_for(grace)) return *end;
  signal(SIGKILL);
  reap();
  return end_;
}

double Child::cpu_seconds() const {
  if (reaped_) return cpu_seconds_at_end_;
  double ticks = 0;
  std::error_code gone;
  for (std::filesystem::directory_iterator entry("/proc", gone), end; !gone && entry != end; entry.increment(gone)) {
    const std::string name = entry->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const auto stat = read_text(entry->path() / "stat")) ticks += group_member_ticks(*stat, pid_);
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

Error error_of_child(const std::string& program, const ProcessEnd& end) {
  Error error{fmt::format("{} {}", program, end.text()), ""};
  if (end.exit_status == static_cast<int>(Exit::cannot_run)) error.exit_status = Exit::cannot_run;
  std::istringstream lines(end.standard_error);
  const std::string prefix = program + ": ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) error.text = line;
    if (line.starts_with("hint: ")) error.hint = line.substr(6);
  }
  return error;
}

std::optional<ProcessEnd> wait_for_end_or_stop(Child& child, Clock::time_point until) {
  constexpr std::chrono::seconds kReadEvery{1};
  while (true) {
    std::optional<ProcessEnd> end = child.wait_for(std::chrono::milliseconds(0));  // reads, without waiting
    const Clock::time_point now = Clock::now();
    // relaxed: a flag alone
    if (end || now >= until || stop_requested().load(std::memory_order_relaxed)) return end;
    pollfd watched[] = {{child.pidfd(), POLLIN, 0}, {stop_fd(), POLLIN, 0}};
    poll_until(watched, std::min(until, now + kReadEvery));
  }
}

Result<ProcessEnd> run_process(const ProcessSpec& spec, std::chrono::milliseconds limit) {
  auto child = Child::start(spec);
  if (!child) return child.error();
  if (auto end = child->wait_for(limit)) return *std::move(end);
  child->stop();
  return Error{fmt::format("{} did not end within {} ms and was stopped", spec.argv.front(), limit.count())};
}

std::string own_executable() {
  std::error_code unreadable;
  return std::filesystem::read_symlink("/proc/self/exe", unreadable);
}

std::string quote_command(const std::vector<std::string>& argv) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_-+=:,./";
  std::string command;
  for (const std::string& argument : argv) {
    if (!command.empty()) command += ' ';
    if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) {
      command += argument;
      continue;
    }
    command += '\'';
    for (const char c : argument) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += '\'';
  }
  return command;
}

}  // namespace maxlat::core
