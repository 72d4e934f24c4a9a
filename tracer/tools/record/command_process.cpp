// SPDX-License-Identifier: MIT
#include "command_process.hpp"

#include <errno.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace maxlat::trace_tools {

core::Result<CommandProcess> CommandProcess::start(const std::vector<std::string>& words,
                                                   const std::pair<std::string, std::string>& variable) {
  std::vector<char*> arguments, environment;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string added = variable.first + "=" + variable.second;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with(variable.first + "=")) environment.push_back(*entry);
  }
  if (!variable.first.empty()) environment.push_back(const_cast<char*>(added.c_str()));
  environment.push_back(nullptr);

  // What the recorder did to its own signals is not the program's.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  CommandProcess process;
  const int failed =
      posix_spawnp(&process.pid_, arguments[0], nullptr, &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    process.pid_ = -1;
    return core::system_error("cannot start " + words.front(), failed);
  }
  process.pidfd_ = base::Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process.pid_, 0)));
  if (!process.pidfd_) return core::system_error("cannot watch " + words.front(), errno);
  return process;
}

bool CommandProcess::ended() {
  if (reaped_) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  reaped_ = true;
  constexpr int kSignal = 128;  // as shells tell it
  if (WIFSIGNALED(status)) {
    end_ = fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    exit_status_ = kSignal + WTERMSIG(status);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
    end_ = fmt::format("ended with exit status {}", WEXITSTATUS(status));
    exit_status_ = WEXITSTATUS(status);
  }
  return true;
}

bool CommandProcess::end() {
  if (ended()) return true;
  kill(pid(), SIGTERM);
  pollfd end{pidfd(), POLLIN, 0};
  poll(&end, 1, 2000);
  return ended();
}

}  // namespace maxlat::trace_tools
