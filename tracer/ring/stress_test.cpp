// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Real threads on one ring, for ThreadSanitizer and for the processor: several writers with MAXLAT_RING_CPU, or one
// with MAXLAT_RING_THREAD, against a reader that checks every byte. The books balance at the end, each writer's events
// come in order, and so do the times of all, though the writers to the ring of a CPU are bound to several. What the
// reader copies of the open packet meanwhile is whole, too. Promoted: with the reader's system calls of promote.h.
#include <gtest/gtest.h>
#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/promote.h>
#include <maxlat/ring/switch.h>
#include <maxlat/ring/walk.h>
#include <sched.h>

#include <atomic>
#include <maxlat/trace/current_cpu.hpp>
#include <string>
#include <thread>
#include <vector>

#include "test_event_probe.h"
#include "test_memory.hpp"

namespace {

using namespace maxlat::ring_test;

struct Setting {
  const char* name;
  maxlat_ring_ownership ownership;
  uint32_t features;
  uint64_t writers;
};

// Of each writer: at least so many, and on until the reader has had that many copies, or no more of them come.
constexpr uint64_t kEvents = 40000, kMostEvents = 100 * kEvents, kCopies = 20;

uint64_t check_of(uint64_t writer, uint64_t number) {
  return (writer << 40 ^ number) * 0x9e3779b97f4a7c15u;
}

// The CPUs that the test may use.
std::vector<int> allowed_cpus() {
  cpu_set_t allowed;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

class Stress : public testing::TestWithParam<Setting> {
 protected:
  Stress() : memory_(ring_of(cpus_)), last_(GetParam().writers, 0) {}

  static maxlat_ring_options ring_of(const std::vector<int>& cpus) {
    maxlat_ring_options options = options_of(GetParam().features, 10, 2);
    if (!cpus.empty()) options.owner = static_cast<uint32_t>(cpus.front());
    return options;
  }

  // Every other writer is at home in the ring. RETURNS: where it looks where it is.
  maxlat_ring_cpu bind(uint64_t writer) const {
    if (cpus_.empty()) return maxlat_ring_unknown_cpu();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus_[writer % cpus_.size()], &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    const volatile uint32_t* word = maxlat::trace::detail::word_of_current_cpu();
    return word == nullptr ? maxlat_ring_unknown_cpu() : maxlat_ring_cpu{word, memory_.ring.owner};
  }

  void write(uint64_t writer) {
    const maxlat_ring_cpu cpu = GetParam().ownership == MAXLAT_RING_THREAD ? maxlat_ring_unknown_cpu() : bind(writer);
    while (!go_.load(std::memory_order_acquire)) std::this_thread::yield();
    uint64_t number = 1;
    for (; number <= kEvents || (number <= kMostEvents && copies_.load(std::memory_order_relaxed) < kCopies);
         ++number) {
      const bool done =
          GetParam().ownership == MAXLAT_RING_THREAD
              ? maxlat_ring_event(MAXLAT_RING_THREAD, &memory_.ring, 7, writer, number, check_of(writer, number))
              : maxlat_ring_event_on(MAXLAT_RING_CPU, &memory_.ring, cpu, 7, writer, number, check_of(writer, number));
      recorded_ += done;
      if (number % 1000 == 0) maxlat_ring_flush(GetParam().ownership, &memory_.ring);
      if (number % 1000 == 510) std::this_thread::yield();  // outside, with a packet open
    }
    tried_ += number - 1;
  }

  // RETURNS: false when there was nothing, or something wrong.
  bool read() {
    maxlat_ring_view view;
    const maxlat_ring_got got = maxlat_ring_get(&memory_.reader, &view);
    EXPECT_NE(got, MAXLAT_RING_CORRUPT);
    if (got != MAXLAT_RING_GOT) {
      look_at_open();
      return false;
    }
    const auto* packet = reinterpret_cast<const maxlat_ring_packet*>(view.bytes);
    // A record may be a long one: who came in before the opener had stored the base of times, or from elsewhere.
    EXPECT_GE(packet->begin_time, time_);
    time_ = packet->begin_time;
    maxlat_ring_walk walk;
    maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
    maxlat_ring_walked record;
    uint64_t records = 0;
    maxlat_ring_step step;
    for (; (step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT; ++records) {
      const auto* field = reinterpret_cast<const uint64_t*>(record.payload);
      const uint64_t writer = field[0], number = field[1];
      if (writer >= last_.size() || field[2] != check_of(writer, number) || number <= last_[writer]) {
        ADD_FAILURE() << "record " << records << " of packet " << packet->sequence << ": " << writer << ' ' << number;
        return false;
      }
      if (record.time < time_ || record.time > packet->end_time) {
        ADD_FAILURE() << "record " << records << " of packet " << packet->sequence << ": " << record.time << " after "
                      << time_ << ", in a packet up to " << packet->end_time;
        return false;
      }
      time_ = record.time;
      last_[writer] = number;
    }
    EXPECT_EQ(step, MAXLAT_RING_END);
    EXPECT_EQ(packet->records, records);
    read_ += records;
    maxlat_ring_put(&memory_.reader, &view);
    return true;
  }

  // The packet comes again, so nothing is kept of it.
  void look_at_open() {
    maxlat_ring_view view;
    auto* to = reinterpret_cast<uint8_t*>(copy_.data());
    const maxlat_ring_got got = maxlat_ring_copy_open(&memory_.reader, to, &view);
    EXPECT_NE(got, MAXLAT_RING_CORRUPT);
    if (got != MAXLAT_RING_GOT) return;
    ++copies_;
    maxlat_ring_walk walk;
    maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
    maxlat_ring_walked record;
    std::vector<uint64_t> last = last_;
    while (maxlat_ring_walk_next(&walk, &record) == MAXLAT_RING_EVENT) {
      const auto* field = reinterpret_cast<const uint64_t*>(record.payload);
      ASSERT_LT(field[0], last.size());
      ASSERT_EQ(field[2], check_of(field[0], field[1]));
      ASSERT_GT(field[1], last[field[0]]);
      last[field[0]] = field[1];
    }
  }

  const std::vector<int> cpus_ = allowed_cpus();
  RingMemory memory_;
  std::vector<uint64_t> last_;
  std::atomic<uint64_t> recorded_ = 0;
  std::atomic<bool> go_ = false;
  std::vector<uint64_t> copy_ = std::vector<uint64_t>((1u << 10) / 8);
  uint64_t read_ = 0;
  std::atomic<uint64_t> tried_ = 0;
  std::atomic<uint64_t> copies_ = 0;  // of the open packet
  uint64_t time_ = 0;                 // of the last record
};

TEST_P(Stress, BooksBalance) {
  if ((GetParam().features & MAXLAT_RING_NEEDS_PROMOTION) != 0 && !maxlat_ring_register_for_promotion())
    GTEST_SKIP() << "this kernel has no expedited membarrier";
  std::vector<std::thread> writers;
  for (uint64_t writer = 0; writer < GetParam().writers; ++writer)
    writers.emplace_back([this, writer] { write(writer); });
  std::atomic<bool> done = false;
  std::thread reader([&] {
    while (!done.load(std::memory_order_acquire) && !HasFailure()) {
      if (!read()) std::this_thread::yield();
    }
  });
  go_.store(true, std::memory_order_release);
  for (auto& writer : writers) writer.join();
  done.store(true, std::memory_order_release);
  reader.join();
  maxlat_ring_finalise(GetParam().ownership, &memory_.ring);
  while (read()) {
  }
  std::printf("%lu copies of an open packet\n", static_cast<unsigned long>(copies_.load()));
  const maxlat_ring_header& books = *memory_.ring.header;
  EXPECT_EQ(maxlat_ring_poll(&memory_.reader), MAXLAT_RING_HANGUP);
  EXPECT_EQ(tried_, recorded_ + books.lost_full + books.lost_wrap);
  EXPECT_EQ(books.records_delivered, recorded_);
  if ((GetParam().features & MAXLAT_RING_OVERWRITE) == 0) {
    EXPECT_EQ(read_, recorded_);
  } else {
    EXPECT_EQ(books.lost_full, 0u);
    EXPECT_LE(read_, recorded_);
  }
}

constexpr uint32_t kOverwrite = MAXLAT_RING_OVERWRITE, kShared = MAXLAT_RING_SHARED_WRITERS,
                   kPromoted = MAXLAT_RING_NEEDS_PROMOTION;
INSTANTIATE_TEST_SUITE_P(Rings, Stress,
                         testing::Values(Setting{"thread_discard", MAXLAT_RING_THREAD, 0, 1},
                                         Setting{"thread_overwrite", MAXLAT_RING_THREAD, kOverwrite, 1},
                                         Setting{"promoted_discard", MAXLAT_RING_THREAD, kPromoted, 1},
                                         Setting{"promoted_overwrite", MAXLAT_RING_THREAD, kPromoted | kOverwrite, 1},
                                         Setting{"cpu_discard", MAXLAT_RING_CPU, kShared, 3},
                                         Setting{"cpu_overwrite", MAXLAT_RING_CPU, kShared | kOverwrite, 3}),
                         [](const auto& setting) { return std::string(setting.param.name); });

}  // namespace
