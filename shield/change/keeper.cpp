// SPDX-License-Identifier: MIT
#include "keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <maxlat/core/machine/tasks.hpp>
#include <maxlat/core/sys/affinity.hpp>

namespace maxlat::shield {
namespace {

constexpr int kMostMsToEnd = 5000;

// Async-signal-safe calls only: our process may have threads.
[[noreturn]] void keep(const char* file, int go, int done) {
  setsid();
  prctl(PR_SET_NAME, "maxlat-keeper");
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  char word = 0;
  if (read(go, &word, 1) != 1) _exit(0);  // whoever started us died before it had journalled us
  const int held = ::open(file, O_RDWR | O_CLOEXEC);
  const int32_t microseconds = 0;
  int failed = 0;
  if (held < 0 || ::write(held, &microseconds, sizeof microseconds) != sizeof microseconds) failed = errno;
  [[maybe_unused]] const ssize_t told = ::write(done, &failed, sizeof failed);
  if (failed != 0) _exit(1);
  dup2(held, 0);
  syscall(SYS_close_range, 1U, ~0U, 0U);
  if (chdir("/") != 0) _exit(1);
  while (true) pause();
}

}  // namespace

core::Result<Keeper> Keeper::start(const std::string& file, const core::CpuList& cpus) {
  int go[2], done[2];
  if (pipe2(go, O_CLOEXEC) != 0) return core::system_error("cannot start a keeper", errno);
  base::Descriptor go_read(go[0]), go_write(go[1]);
  if (pipe2(done, O_CLOEXEC) != 0) return core::system_error("cannot start a keeper", errno);
  base::Descriptor done_read(done[0]), done_write(done[1]);
  const core::AffinityMask mask(cpus);
  const pid_t pid = fork();
  if (pid < 0) return core::system_error("cannot start a keeper", errno);
  if (pid == 0) {
    ::close(go_write.number());
    if (!mask.empty()) mask.apply(0);
    keep(file.c_str(), go_read.number(), done_write.number());
  }
  return Keeper(pid, std::move(go_write), std::move(done_read));
}

core::Status Keeper::hold() {
  int failed = EIO;  // when it ended without a word
  if (::write(go_.number(), "", 1) != 1 || ::read(done_.number(), &failed, sizeof failed) < 0) failed = errno;
  if (failed == 0) return {};
  waitpid(pid_, nullptr, 0);
  return core::system_error("cannot hold /dev/cpu_dma_latency", failed);
}

core::Status end_keeper(pid_t pid, uint64_t started, const core::MachineView& machine) {
  const base::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const auto task = core::task_of(machine, static_cast<unsigned>(pid));
  if (!process || !task || task->started != started) return {};
  if (syscall(SYS_pidfd_send_signal, process.number(), SIGTERM, nullptr, 0) != 0 && errno != ESRCH)
    return core::system_error(fmt::format("cannot end the keeper (process {})", pid), errno);
  pollfd ended{process.number(), POLLIN, 0};
  if (::poll(&ended, 1, kMostMsToEnd) != 1)
    return core::Error{fmt::format("the keeper (process {}) does not end", pid)};
  waitpid(pid, nullptr, WNOHANG);  // where it is our own child
  return {};
}

}  // namespace maxlat::shield
