// SPDX-License-Identifier: MIT
// A channel by itself: what its callers make of it in an order that is hard to come by.
#include "session/channel.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace maxlat::trace::detail {
namespace {

// A channel of one slot, and its ring.
class MadeChannel {
 public:
  MadeChannel()
      : layout_(*layout_of(kOptions)),
        file_(*SessionFile::create({.name = "test", .process = "program", .pid = 1}, {&layout_, 1})) {
    std::uint16_t refused = 0;
    ring = channel.claim(this_thread_id(), &refused);
  }
  std::uint64_t word_of_slot() { return file_->slots(0)[0].word; }

 private:
  static inline const ChannelOptions kOptions{.name = "all", .sub_buffer_size = 4096, .sub_buffers = 2, .slots = 1};
  ChannelLayout layout_;
  std::unique_ptr<SessionFile> file_;

 public:
  Channel channel{*file_, 0, kOptions};
  const maxlat_ring* ring = nullptr;
};

// The channel's own lock. It is private, but an explicit instantiation may name it.
PriorityMutex& rings_lock_of(Channel& channel);
template <PriorityMutex Channel::*kLock>
struct LockOf {
  friend PriorityMutex& rings_lock_of(Channel& channel) { return channel.*kLock; }
};
template struct LockOf<&Channel::rings_lock_>;

// What a thread of ours waits for in the kernel.
struct Waiting {
  bool readable = false;
  long call = 0;  // 0: it runs
  unsigned long word = 0, operation = 0;
};
Waiting waiting_of(long thread) {
  Waiting waiting;
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/syscall");
  waiting.readable = file.is_open();
  file >> std::dec >> waiting.call >> std::hex >> waiting.word >> waiting.operation;
  return waiting;
}

// It had left the list of threads when the session was stopped and destroyed, and then comes to its rings: the end of a
// thread wrote its name into a ring that was unmapped.
TEST(Channel, AThreadThatEndsItsRingAfterTheSessionDidLeavesItAlone) {
  MadeChannel made;
  ASSERT_NE(made.ring, nullptr);
  made.channel.finalise_all();
  const std::uint64_t ended = made.word_of_slot();
  EXPECT_EQ(ended & MAXLAT_SHM_STATE_MASK, static_cast<std::uint64_t>(MAXLAT_SHM_ENDED));
  made.channel.end(made.ring);
  EXPECT_EQ(made.word_of_slot(), ended);
}

// A thread at its end waits for a control call that has the rings: that runs with the thread's priority meanwhile. Seen
// in what the waiting thread asks of the kernel.
TEST(Channel, WhoHasItsRingsInheritsThePriorityOfAThreadThatEnds) {
  MadeChannel made;
  ASSERT_NE(made.ring, nullptr);
  PriorityMutex& lock = rings_lock_of(made.channel);
  lock.lock();
  std::atomic<long> waiter{0};
  std::thread ends([&] {
    waiter.store(syscall(SYS_gettid));
    made.channel.end(made.ring);
  });
  while (waiter.load() == 0) std::this_thread::yield();
  Waiting waiting = waiting_of(waiter.load());
  for (int i = 0; i < 10'000 && waiting.readable && waiting.call != SYS_futex; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    waiting = waiting_of(waiter.load());
  }
  lock.unlock();
  ends.join();
  if (!waiting.readable) GTEST_SKIP() << "cannot read what a thread waits for";
  ASSERT_EQ(waiting.call, SYS_futex);
  const auto channel = reinterpret_cast<unsigned long>(&made.channel);
  EXPECT_GE(waiting.word, channel);
  EXPECT_LT(waiting.word, channel + sizeof(Channel));
  constexpr unsigned long kLockPi = 6, kLockPi2 = 13, kPrivate = 128;
  EXPECT_TRUE((waiting.operation & ~kPrivate) == kLockPi || (waiting.operation & ~kPrivate) == kLockPi2)
      << waiting.operation;
}

}  // namespace
}  // namespace maxlat::trace::detail
