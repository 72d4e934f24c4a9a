// SPDX-License-Identifier: MIT
// The child process in which the library reads (foreign_trace.hpp). What the library itself writes to stderr, as when
// it finds that it must abort, goes nowhere: our line says it.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/trace/trace_folder.hpp>

#include "foreign_command.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr const char* kPrefix = "maxlat trace: ";

int silenced_stderr() {
  std::fflush(stderr);
  const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
  return kept;
}

// What SIGPROF looks at.
volatile std::sig_atomic_t came_further = 0;

// The library can go round for ever in a damaged trace. Each time so much processor time has passed, it must have come
// further.
void end_if_it_stands_still(std::chrono::milliseconds limit) {
  struct sigaction look {};
  look.sa_handler = [](int) {
    if (came_further == 0) {
      signal(SIGPROF, SIG_DFL);
      raise(SIGPROF);  // pending, since blocked here: it ends us on the way out
    }
    came_further = 0;
  };
  look.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &look, nullptr);
  const timeval span{limit.count() / 1000, limit.count() % 1000 * 1000};
  const itimerval each{span, span};
  setitimer(ITIMER_PROF, &each, nullptr);
}

[[noreturn]] void be_the_child(const ForeignRead& read, pid_t parent, std::chrono::milliseconds limit) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(static_cast<int>(core::Exit::error));  // it was gone before that
  end_if_it_stands_still(limit);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int kept = silenced_stderr();
  std::vector<std::string> say;
  const core::Result<core::Exit> result = read(say);
  std::fflush(stdout);
  dup2(kept, STDERR_FILENO);
  for (const std::string& text : say) core::tell("{}{}\n", kPrefix, text);
  if (!result) {
    core::tell("{}{}\n", kPrefix, result.error().text);
    if (!result.error().hint.empty()) core::tell("hint: {}\n", result.error().hint);
  }
  std::fflush(stderr);
  _exit(static_cast<int>(result ? *result : result.error().exit_status));
}

}  // namespace

void foreign_came_further() {
  came_further = 1;
}

core::Result<core::Exit> isolated(const std::vector<std::string>& folders, const ForeignRead& read,
                                  std::chrono::milliseconds limit) {
  std::fflush(stdout);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) return core::system_error("cannot start a process to read the trace", errno);
  if (child == 0) be_the_child(read, parent, limit);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) return core::Exit{WEXITSTATUS(status)};
  const int number = WTERMSIG(status);
  if (number == SIGPIPE || number == SIGINT || number == SIGTERM) {  // somebody wants the end of both
    signal(number, SIG_DFL);
    raise(number);
  }
  const std::string why = number == SIGPROF
                              ? fmt::format(": it came no further in {} of processor time",
                                            core::duration_text(std::chrono::duration<double>(limit).count()))
                              : fmt::format(" by signal {} ({})", number, strsignal(number));
  return core::Error{fmt::format("libbabeltrace2 was ended{} while it read {}", why, fmt::join(folders, ", ")),
                     "what stands above is not all of it", core::Exit::invalid};
}

void say_breaks(const std::vector<trace::TraceBreak>& breaks, std::vector<std::string>& say) {
  for (const trace::TraceBreak& place : breaks) say.push_back(place.file + ": " + place.why);
}

core::Result<std::optional<std::vector<std::string>>> foreign_trace(const std::string& folder) {
  std::vector<std::string> others = trace::foreign_folders(folder);
  if (others.empty()) return std::optional<std::vector<std::string>>{};
  const auto ours = trace::open_trace_folder(folder);
  if (!can_read_foreign()) {
    if (ours) return std::optional<std::vector<std::string>>{};  // those of others are told as unreadable
    return core::cannot_run(others.front() +
                                " is a trace of another tracer, or of another version of maxlat, and this "
                                "maxlat has no libbabeltrace2 to read it with",
                            "babeltrace2 prints it");
  }
  const auto readable = isolated(others, [&](std::vector<std::string>&) -> core::Result<core::Exit> {
    return any_foreign_readable(others) ? core::Exit::pass : core::Exit::error;
  });
  if (readable && *readable == core::Exit::pass) {
    if (ours) {
      for (const trace::StoredProcess& process : *ours) others.push_back(process.description.folder);
    }
    return std::optional(std::move(others));
  }
  if (ours) return std::optional<std::vector<std::string>>{};
  if (!readable) return readable.error();
  return core::Error{others.front() + " is no trace: its metadata is not CTF 1.8, or not all of it is there", ""};
}

}  // namespace maxlat::trace_tools
