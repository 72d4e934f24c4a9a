// SPDX-License-Identifier: MIT
#include "descendants.hpp"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <memory>
#include <string>

namespace maxlat::loadgen {
namespace {

// -1: it has ended.
pid_t parent_of(const std::string& pid) {
  const auto line = core::read_text("/proc/" + pid + "/stat");
  const auto stat = line ? core::parse_task_stat(*line) : std::nullopt;
  return stat ? stat->parent : -1;
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) return children;
  while (const dirent* entry = readdir(proc.get())) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    pid_t pid = 0;
    if (auto [at, error] = std::from_chars(entry->d_name, end, pid); error != std::errc() || at != end) continue;
    if (parent_of(entry->d_name) == parent) children.push_back(pid);
  }
  return children;
}

void end_all_children(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    pid_t reaped;
    do reaped = waitpid(-1, nullptr, WNOHANG);
    while (reaped > 0);
    if (reaped < 0 && errno == ECHILD) return;
    if (std::chrono::steady_clock::now() > deadline) return;
    for (const pid_t child : children_of(getpid())) kill(child, SIGKILL);
    poll(nullptr, 0, 2);
  }
}

}  // namespace maxlat::loadgen
