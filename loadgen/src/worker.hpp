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
// FAILURE: a worker that dies at any point leaves counters that were true and no process: its group is killed as well.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/loadgen/worker_spec.hpp>
#include <optional>
#include <string>

namespace maxlat::loadgen {

class Worker {
 public:
  static core::Result<Worker> start(const WorkerSpec& spec);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;
  ~Worker();

  struct Counts {
    uint64_t work = 0, rounds = 0;
    std::optional<std::chrono::steady_clock::time_point> counted_at;  // see WorkerSlot
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
