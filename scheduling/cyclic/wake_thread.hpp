// SPDX-License-Identifier: MIT
//
// A thread that measures one CPU, from its start to its joining.
#pragma once

#include <atomic>
#include <latch>
#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/attribution/trace_mark.hpp>
#include <maxlat/core/sys/starvation.hpp>
#include <thread>

#include "cyclic_measure.hpp"
#include "wakeups.hpp"

namespace maxlat::scheduling {

// What all threads of a run share. They begin together: whoever launched them waits until each is ready, and says when.
struct WakeStart {
  const CyclicSettings& settings;
  core::JournalSpec journal;
  attribution::KernelWatch* watch;  // accounts for the latest wake-ups; null: nobody does
  attribution::TraceMark* mark;     // struck by a wake-up above the limit; null: nobody asked for it
  std::atomic<size_t> ready{0};     // threads that have their CPU, policy and timer, or know that they cannot
  std::atomic<bool> failed{false};  // one of them cannot: none begins
  uint64_t begin_at_ns = 0;         // written before `go`
  std::latch go{1};
};

class WakeThread {
 public:
  // The `place`-th of `of` CPUs. REQUIRES: `start` outlives it.
  WakeThread(WakeStart& start, unsigned cpu, size_t place, size_t of);
  ~WakeThread() { join(); }

  void launch() {
    thread_ = std::thread([this] { body(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  // acquire: pairs with its store, after everything that it wrote
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  core::WatchedLoop watched() const;
  // Written by the thread itself. REQUIRES: finished(), for all but what wakeups.hpp lets others read.
  const WakeBooks& books() const { return books_; }
  const core::Status& set_up() const { return set_up_; }

 private:
  void body();
  bool waits_for_the_start();
  void mark_the_break() const;
  template <class Timer>
  void measure(Timer timer);

  WakeStart& start_;
  uint64_t offset_ns_;  // of its due times against those of the first thread
  WakeBooks books_;
  core::Status set_up_;
  std::atomic<int> id_{0};
  std::atomic<bool> finished_{false};
  std::thread thread_;
};

}  // namespace maxlat::scheduling
