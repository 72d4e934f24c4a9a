// SPDX-License-Identifier: MIT
//
// A list of events behind a lock, as Pohlack 2010 has two to compare with (SList, behind a semaphore of user space;
// UList, behind a lock of the kernel): the last `kSlots` events, each with its time. Here the locks are those that
// processes can share, plain and with priority inheritance. Nobody else wants them, so neither asks the kernel.
#pragma once

#include <maxlat/base/counter.h>
#include <pthread.h>

#include <array>
#include <cstdint>

namespace maxlat::bench::papers {

class LockedList {
 public:
  explicit LockedList(int protocol) {
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_mutexattr_setprotocol(&attributes, protocol);
    ::pthread_mutex_init(&lock_, &attributes);
    ::pthread_mutexattr_destroy(&attributes);
  }
  LockedList(const LockedList&) = delete;
  LockedList& operator=(const LockedList&) = delete;
  ~LockedList() { ::pthread_mutex_destroy(&lock_); }

  void post(uint64_t a, uint64_t b, uint64_t c) {
    ::pthread_mutex_lock(&lock_);
    Slot& slot = slots_[next_++ % kSlots];
    slot = {next_, maxlat_counter_plain(), {a, b, c}};
    asm volatile("" : : "r"(&slot) : "memory");  // somebody could read it
    ::pthread_mutex_unlock(&lock_);
  }

 private:
  static constexpr uint64_t kSlots = 1024;
  struct alignas(64) Slot {
    uint64_t position = 0, time = 0;
    std::array<uint64_t, 3> payload{};
  };
  pthread_mutex_t lock_;
  uint64_t next_ = 0;
  std::array<Slot, kSlots> slots_{};
};

}  // namespace maxlat::bench::papers
