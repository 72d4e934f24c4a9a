// SPDX-License-Identifier: MIT
// Names of threads against threads that end while they are looked at.
#include "session_names.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <maxlat/trace/thread_names.hpp>
#include <thread>

#include "shm/test_session.hpp"
#include "test_trace.hpp"

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;

// One thread that ends its ring, calls itself by the number of the next one and begins it, over and over: the same
// number of a thread, as that of one that ended may be another's. Every second ring is gone at once, each other when a
// whole look at it has passed.
class RingAfterRing {
 public:
  explicit RingAfterRing(maxlat_shm_slot& slot) : slot_(slot), thread_([this] { run(); }) {}
  ~RingAfterRing() {
    end_ = true;
    thread_.join();
  }
  void looked() { ++looks_; }

 private:
  void run() {
    slot_.owner = static_cast<std::uint32_t>(gettid());
    for (std::uint64_t ring = 0; !end_; ++ring) {
      prctl(PR_SET_NAME, std::to_string(ring).c_str());
      become(MAXLAT_SHM_LIVE, ring);
      const unsigned until = looks_ + (ring % 2 == 0 ? 0 : 2);
      while (looks_ < until && !end_) sched_yield();
      become(MAXLAT_SHM_ENDED, ring);
    }
  }
  void become(std::uint64_t state, std::uint64_t ring) {
    __atomic_store_n(&slot_.word, ring << MAXLAT_SHM_GENERATION_SHIFT | state, __ATOMIC_RELEASE);
  }

  maxlat_shm_slot& slot_;
  std::atomic<unsigned> looks_{0};
  std::atomic<bool> end_{false};
  std::thread thread_;
};

TEST(SessionNames, WhatAThreadIsCalledInItsNextRingIsNoNameOfThisOne) {
  const TemporaryFolder directory;
  const TestSession session;
  auto memory = SessionMemory::attach(session.fd());
  ASSERT_TRUE(memory) << memory.error().text;
  auto folder = WrittenTrace::create(directory.path(), *memory, [](const std::string& line) { FAIL() << line; });
  ASSERT_TRUE(folder) << folder.error().text;
  constexpr std::uint64_t kRings = 200;
  SessionNames names(*memory);
  {
    RingAfterRing rings(session.slot(0, 0));
    while (memory->slot(0, 0).generation() < kRings) {
      const std::uint64_t from = memory->slot(0, 0).generation();
      names.look_at(0, 0);
      rings.looked();
      const std::uint64_t to = memory->slot(0, 0).generation();
      for (std::uint64_t ring = from; ring <= to; ++ring) {
        if (names.of(0, 0).are_of(ring)) names.of(0, 0).tell(*folder, std::to_string(ring));
      }
    }
  }
  const ThreadNames told = parse_thread_names(text_of(folder->path() + "/.threads"));
  EXPECT_GE(told.size(), kRings / 2 - 1);
  for (const auto& [ring, of_ring] : told) {
    for (const ThreadName& name : of_ring) ASSERT_EQ(name.text, ring);
  }
}

}  // namespace
