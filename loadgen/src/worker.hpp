// SPDX-License-Identifier: MIT
//
// A worker: one process that makes load and counts what it did where its parent can see it.
//
//   LoadSet's thread                                  worker process (leader of a process group)
//   Worker::start ---- fork ------------------------> SCHED_OTHER, bound to its CPUs, dies with the parent
//   Worker::counts <-- shared page: work, rounds ---- slot.add(1) after each unit of work
//   Worker::poll_end <- waitpid, reason text -------- returns an Error: reason into the page, exit status 1
//   Worker::stop ----- signal to the group ---------> gone, reaped
//
// Why a process and not a thread: the load must not share the caller's locked memory, address-space lock or fate (the
// out-of-memory killer takes one worker and the supervisor sees it). Why fork and not exec of our own binary: it needs
// no path to ourselves, so it works from a library, a unit test and a deleted binary alike.
//
// SHARED PAGE, 256 bytes, mapped MAP_SHARED before the fork; one writer (the worker), one reader (its parent):
//   0 u64 work   8 u64 rounds   16 i32 group of a foreign command   24 char reason[232]
// The counters are relaxed: the parent wants a recent value and orders nothing by them. `reason` is read only after the
// worker was reaped, which orders it.
//
// FAILURE: a worker that dies at any point leaves counters that were true and no process: its group is killed as well.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>

namespace maxlat::loadgen {

struct WorkerSlot {
  std::atomic<uint64_t> work;
  std::atomic<uint64_t> rounds;
  std::atomic<int32_t> foreign_group;  // process group of a foreign command, 0 when there is none
  char reason[232];

  // relaxed: one writer; the reader wants a recent value, not an order
  void add(uint64_t units) { work.store(work.load(std::memory_order_relaxed) + units, std::memory_order_relaxed); }
  void finish_round() { rounds.store(rounds.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
};
static_assert(sizeof(WorkerSlot) == 256 && alignof(WorkerSlot) == 8);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<int32_t>::is_always_lock_free);

// What a worker does. Runs until the process is killed or, for those that clean up after themselves, until
// termination_requested(); returns early only with an Error.
using Work = std::function<core::Status(WorkerSlot&)>;

struct WorkerSpec {
  std::string name;    // of the process, as ps shows it: "load:cache"
  core::CpuList cpus;  // it is bound to these
  Work work;
  bool cleans_up = false;  // gets SIGTERM and time to clean up instead of SIGKILL, also when the parent dies
};

// In a worker that cleans up: true once SIGTERM has come.
bool termination_requested();

class Worker {
 public:
  static core::Result<Worker> start(const WorkerSpec& spec);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;
  ~Worker();

  struct Counts {
    uint64_t work = 0, rounds = 0;
  };
  Counts counts() const;
  // Why it ended, once it has. Not blocking.
  std::optional<std::string> poll_end();
  // In two steps, so that many workers end side by side.
  void request_stop();
  void finish_stop(std::chrono::steady_clock::time_point deadline);
  pid_t pid() const { return pid_; }

 private:
  Worker() = default;
  bool reap();
  void kill_groups() const;

  pid_t pid_ = -1;
  bool cleans_up_ = false;
  bool reaped_ = true;
  int wait_status_ = 0;
  std::string where_;  // "CPU 1"
  WorkerSlot* slot_ = nullptr;
};

}  // namespace maxlat::loadgen
