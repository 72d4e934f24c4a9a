// SPDX-License-Identifier: MIT OR GPL-2.0-only
// kill -9 of a writer at any instruction: a child writes to a ring in shared memory, handlers nested in its probes, and
// counts each event after its commit returned, where this process can see it. Then every counted event is recovered,
// with its time, and nothing that was not written; and no more is said to be unfinished than was under way.
#include <gtest/gtest.h>
#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/walk.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "test_event_probe.h"
#include "test_memory.hpp"
#include "test_single_step.hpp"

namespace {

using namespace maxlat::ring_test;

constexpr uint64_t kEvents = 200;

struct Shared {
  uint64_t next;
  uint64_t inside;  // contexts that trace or flush now
  uint64_t since[kEvents];
  uint8_t committed[kEvents];
};

template <class T>
T* shared(size_t size) {
  void* where = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return where == MAP_FAILED ? nullptr : static_cast<T*>(where);
}

// The dying process. Single-stepped: every instruction is one at which a handler may come, or death.
struct Victim {
  static inline maxlat_ring ring;
  static inline Shared* counts;
  static inline uint64_t steps_to_live, steps_to_handler;
  static inline bool flushing;

  static void event() {
    const uint64_t number = counts->next++;
    if (number >= kEvents) _exit(0);
    ++counts->inside;
    counts->since[number] = maxlat_counter_plain();
    const uint32_t id = number % 8 == 0 ? 9000 : 7;
    if (maxlat_ring_event(MAXLAT_RING_THREAD, &ring, id, number, ~number, number * 3)) counts->committed[number] = 1;
    --counts->inside;
  }
  static bool flush() {
    ++counts->inside;
    const bool flushed = maxlat_ring_flush(MAXLAT_RING_THREAD, &ring);
    --counts->inside;
    return flushed;
  }
  static void stepped(int, siginfo_t*, void*) {
    if (--steps_to_live == 0) kill(getpid(), SIGKILL);
    if (--steps_to_handler == 0) {
      steps_to_handler = 150;  // the handler may be interrupted, and killed, too
      SingleStep::step_on();
      for (int i = 0; i < 3; ++i) event();
      if (flushing) flush();
      SingleStep::step_off();
    }
  }
  [[noreturn]] static void live(uint64_t seed) {
    std::mt19937_64 random(seed);
    for (uint64_t before = random() % 60; before > 0; --before) event();
    steps_to_live = 1 + random() % 600;
    steps_to_handler = random() % 2 == 0 ? UINT64_MAX : 1 + random() % 300;
    struct sigaction action {};
    action.sa_sigaction = &stepped;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGTRAP, &action, nullptr);
    flushing = seed % 4 == 0;
    SingleStep::step_on();
    for (;;) {
      if (random() % 8 == 0) *maxlat_ring_time_base(&ring) -= 1ull << MAXLAT_RING_TIME_BITS;  // as after a silence
      if (flushing && flush()) maxlat_ring_open_ahead(MAXLAT_RING_THREAD, &ring);
      event();
    }
  }
};

class Kill : public testing::TestWithParam<uint32_t> {};

// What a reader finds in the ring of a dead writer: each event is whole, once there, and of its time.
void recover(maxlat_ring& ring, const Shared& counts, std::set<uint64_t>& found, uint64_t& unfinished) {
  maxlat_ring_reader reader;
  maxlat_ring_view view;
  std::vector<uint64_t> to(ring.shape.sub_buffer_size / 8);
  auto* copy = reinterpret_cast<uint8_t*>(to.data());
  ASSERT_TRUE(maxlat_ring_reader_start(&reader, &ring));
  maxlat_ring_got got;
  while ((got = maxlat_ring_recover(&reader, copy, &view, &unfinished)) == MAXLAT_RING_GOT) {
    maxlat_ring_walk walk;
    maxlat_ring_walked record;
    maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
    while (maxlat_ring_walk_next(&walk, &record) == MAXLAT_RING_EVENT) {
      const auto* field = reinterpret_cast<const uint64_t*>(record.payload);
      const uint64_t number = field[0];
      ASSERT_LT(number, counts.next);
      ASSERT_EQ(field[1], ~number);
      ASSERT_EQ(field[2], number * 3);
      ASSERT_TRUE(found.insert(number).second);
      ASSERT_GE(record.time, counts.since[number]);
      ASSERT_LE(record.time, maxlat_counter_plain());
    }
    if (view.bytes != copy) maxlat_ring_put(&reader, &view);
  }
  ASSERT_EQ(got, MAXLAT_RING_NOT_NOW);
}

TEST_P(Kill, AtAnyInstructionLosesNothingThatWasCommitted) {
  uint64_t inside = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const maxlat_ring_options options = options_of(GetParam(), 10, 2);
    const uint64_t size = maxlat_ring_size(&options);
    auto* memory = shared<uint8_t>(size);
    auto* counts = shared<Shared>(sizeof(Shared));
    ASSERT_NE(memory, nullptr);
    ASSERT_NE(counts, nullptr);
    maxlat_ring ring;
    ASSERT_TRUE(maxlat_ring_create(&ring, memory, size, &options));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Victim::ring = ring;
      Victim::counts = counts;
      Victim::live(seed);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "seed " << seed;

    uint64_t unfinished = 0;
    std::set<uint64_t> found;
    ASSERT_TRUE(maxlat_ring_attach(&ring, memory, size));
    ASSERT_NO_FATAL_FAILURE(recover(ring, *counts, found, unfinished)) << "seed " << seed;
    // In overwrite mode the oldest packets are gone; what is left is everything since.
    const uint64_t oldest = found.empty() ? kEvents : *found.begin();
    for (uint64_t number = GetParam() == 0 ? 0 : oldest; number < std::min(counts->next, kEvents); ++number) {
      if (counts->committed[number] != 0) {
        ASSERT_EQ(found.count(number), 1u) << "seed " << seed << ", event " << number;
      }
    }
    ASSERT_LE(unfinished, counts->inside) << "seed " << seed;
    inside += unfinished;
    munmap(memory, size);
    munmap(counts, sizeof(Shared));
  }
  std::printf("%lu slots of the dead\n", static_cast<unsigned long>(inside));
  EXPECT_GT(inside, 15u) << "60 to 70 with optimisation; half of that without, where a life has fewer events";
}

INSTANTIATE_TEST_SUITE_P(Rings, Kill, testing::Values(0u, MAXLAT_RING_OVERWRITE),
                         [](const auto& mode) { return mode.param == 0 ? "discard" : "overwrite"; });

}  // namespace
