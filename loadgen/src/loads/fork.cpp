// SPDX-License-Identifier: MIT
//
// Fork and exec storm: by turns a fork whose child writes to each of 256 pages (page tables copied, faults on
// copy-on-write, an address space torn down, translations shot down) and an exec of `true` (loader, page cache, exec's
// own locks). Where the box has no `true`, it forks only.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/loadgen/load_definition.hpp>

#include "worker_memory.hpp"

namespace maxlat::loadgen {
namespace {

constexpr size_t kPages = 256;

core::Result<pid_t> fork_and_touch(std::span<std::byte> memory, size_t page) {
  const pid_t pid = fork();
  if (pid < 0) return core::system_error("cannot fork", errno);
  if (pid == 0) {
    for (size_t i = 0; i < memory.size(); i += page) static_cast<volatile std::byte*>(memory.data())[i] = std::byte{2};
    _exit(0);
  }
  return pid;
}

core::Result<pid_t> spawn(std::string program) {
  pid_t pid = -1;
  char* const argv[] = {program.data(), nullptr};
  const int failed = posix_spawn(&pid, program.c_str(), nullptr, nullptr, argv, environ);
  if (failed != 0) return core::system_error("cannot start " + program, failed);
  return pid;
}

core::Status fork_storm(WorkerSlot& slot, const std::string& program) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  core::Result<std::span<std::byte>> memory = take_memory(kPages * page);
  if (!memory) return memory.error();
  for (bool exec_next = false;; exec_next = !exec_next) {
    core::Result<pid_t> child = exec_next && !program.empty() ? spawn(program) : fork_and_touch(*memory, page);
    if (!child) return child.error();
    if (waitpid(*child, nullptr, 0) != *child) return core::system_error("cannot wait for a child", errno);
    slot.add(1);
  }
}

}  // namespace

extern const LoadDefinition kForkLoad = {
    .kind = {"fork", "", "fork and exec storm", true},
    .unit = "processes/s",
    .plan = [](std::string_view, const core::CpuList& cpus) -> core::Result<LoadPlan> {
      const std::string program = core::find_program("true");
      return one_worker_per_cpu("fork", cpus, [program](WorkerSlot& slot) { return fork_storm(slot, program); });
    },
};

}  // namespace maxlat::loadgen
