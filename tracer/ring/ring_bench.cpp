// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What an event of three fields (24 bytes) costs back to back, next to the counter read that it contains.
//
// All arms run in every round, in an order drawn anew, so that what the machine does meanwhile hits them alike; an
// arm's ratio is taken against the bare reads of its own round, and the median over rounds is printed. Context is
// printed first. The second table is of single events, each between two fenced reads of the counter, for the one
// question of this bench that is about a tail; that of a whole MAXLAT_TRACE is npt's business.
//
// "rseq at its best" is the way of a ring per CPU with its two locked instructions unlocked, without the second look
// where the thread is, and nothing added: what a restartable sequence could come to if it cost nothing itself. What
// follows from it: port_user_cpu.h.
#include <maxlat/base/counter.h>
#include <maxlat/ring/read.h>
#include <maxlat/ring/test_event_probe.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <maxlat/trace/current_cpu.hpp>
#include <random>
#include <vector>

namespace {

constexpr int kEvents = 20000;  // 640 KB of records: fits a sub-buffer of 1 MiB, so most rounds see one switch or none
constexpr uint32_t kSubBufferBits = 20;
constexpr uint32_t kRingBits = 2;

struct Ring {
  maxlat_ring ring{};
  maxlat_ring_reader reader{};

  Ring(uint32_t features, uint32_t sub_buffer_bits) {
    maxlat_ring_options options{};
    options.features = features;
    options.sub_buffer_bits = sub_buffer_bits;
    options.ring_bits = kRingBits;
    options.owner = static_cast<uint32_t>(sched_getcpu());  // where we stay
    const uint64_t size = maxlat_ring_size(&options);
    void* memory = std::aligned_alloc(MAXLAT_RING_PAGE, size);
    if (memory == nullptr) std::abort();
    std::fill_n(static_cast<char*>(memory), size, '\0');
    if (!maxlat_ring_create(&ring, memory, size, &options) || !maxlat_ring_reader_start(&reader, &ring)) std::abort();
  }

  void drain() {
    maxlat_ring_view view;
    while (maxlat_ring_get(&reader, &view) == MAXLAT_RING_GOT) maxlat_ring_put(&reader, &view);
  }
};

maxlat_ring_cpu here(const Ring& ring) {
  const volatile uint32_t* word = maxlat::trace::detail::word_of_current_cpu();
  return word != nullptr ? maxlat_ring_cpu{word, ring.ring.owner} : maxlat_ring_unknown_cpu();
}

void keep(uint64_t value) {
  asm volatile("" : : "r"(value) : "memory");
}

__attribute__((noinline)) void bare() {
  for (int i = 0; i < kEvents; ++i) keep(maxlat_counter_plain());
}
template <maxlat_ring_ownership kOwnership>
__attribute__((noinline)) void events(Ring& ring) {
  const maxlat_ring_cpu cpu = here(ring);
  for (int i = 0; i < kEvents; ++i) {
    const auto value = static_cast<uint64_t>(i);
    maxlat_ring_event_on(kOwnership, &ring.ring, cpu, 7, value, value, value);
  }
}

// Ticks of single events.
class Tail {
 public:
  template <class Event>
  __attribute__((noinline)) void take(Event event) {
    for (uint64_t i = 0; i < kEvents; ++i) {
      const uint64_t begin = maxlat_counter_fenced();
      event(i);
      const uint64_t ticks = maxlat_counter_fenced() - begin;
      ++count_[std::min(ticks, kMost)];
      most_ = std::max(most_, ticks);
    }
    total_ += kEvents;
  }
  void print(const char* name) const {
    std::printf("%-36s %12lu %12lu %12lu %12lu %12lu\n", name, quantile(0.5), quantile(0.999), quantile(0.9999), most_,
                total_);
  }

 private:
  static constexpr uint64_t kMost = (1 << 16) - 1;
  unsigned long quantile(double part) const {
    auto left = static_cast<uint64_t>(part * static_cast<double>(total_));
    uint64_t ticks = 0;
    for (; ticks < kMost && count_[ticks] <= left; ++ticks) left -= count_[ticks];
    return ticks;
  }
  std::vector<uint64_t> count_ = std::vector<uint64_t>(kMost + 1);
  uint64_t total_ = 0, most_ = 0;
};

template <maxlat_ring_ownership kOwnership>
void singles(Tail& tail, Ring& ring) {
  const maxlat_ring_cpu cpu = here(ring);
  tail.take([&](uint64_t i) { maxlat_ring_event_on(kOwnership, &ring.ring, cpu, 7, i, i, i); });
  ring.drain();
}

// The parts of an event, each alone: together they cost less than their sum, because they hide behind the counter read.
__attribute__((noinline)) void reserve_alone() {
  static uint64_t word;
  for (uint64_t i = 0; i < kEvents; ++i) keep(maxlat_ring_thread_cas(&word, word, word + 32));
}
__attribute__((noinline)) void commit_alone() {
  static uint64_t word;
  for (uint64_t i = 0; i < kEvents; ++i) keep(maxlat_ring_thread_add(&word, 32));
}
__attribute__((noinline)) void write_alone() {
  static uint64_t memory[4 * kEvents];
  for (uint64_t i = 0; i < kEvents; ++i) {
    uint64_t* record = memory + 4 * i;
    record[1] = record[2] = record[3] = i;
    maxlat_ring_record_finish(reinterpret_cast<uint8_t*>(record), i);
  }
}

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// What many events cost, one behind the other.
void compare_many(int rounds, std::mt19937& random, Ring& cpu_discard, Ring& cpu_unlocked) {
  Ring thread_discard(0, kSubBufferBits), thread_overwrite(MAXLAT_RING_OVERWRITE, kSubBufferBits);
  Ring cpu_overwrite(MAXLAT_RING_SHARED_WRITERS | MAXLAT_RING_OVERWRITE, kSubBufferBits);
  Ring small(MAXLAT_RING_OVERWRITE, 12), full(0, 12);

  struct Arm {
    const char* name;
    Ring* ring;
    void (*run)(Ring&);
    bool drained;
  };
  const std::array<Arm, 11> arms{{{"bare counter read", nullptr, [](Ring&) { bare(); }, false},
                                  {"part: reserve (compare-exchange)", nullptr, [](Ring&) { reserve_alone(); }, false},
                                  {"part: write 32 bytes", nullptr, [](Ring&) { write_alone(); }, false},
                                  {"part: commit (add)", nullptr, [](Ring&) { commit_alone(); }, false},
                                  {"thread, discard", &thread_discard, events<MAXLAT_RING_THREAD>, true},
                                  {"thread, overwrite", &thread_overwrite, events<MAXLAT_RING_THREAD>, true},
                                  {"cpu, discard", &cpu_discard, events<MAXLAT_RING_CPU>, true},
                                  {"cpu, overwrite", &cpu_overwrite, events<MAXLAT_RING_CPU>, true},
                                  {"cpu, discard, rseq at its best", &cpu_unlocked, events<MAXLAT_RING_THREAD>, true},
                                  {"thread, a switch every 124 events", &small, events<MAXLAT_RING_THREAD>, false},
                                  {"thread, ring full (dropped)", &full, events<MAXLAT_RING_THREAD>, false}}};
  std::printf("# %d rounds of %d events of 24 bytes, sub-buffers %u x %u KiB, median of rounds\n", rounds, kEvents,
              1u << kRingBits, (1u << kSubBufferBits) >> 10);

  std::vector<std::array<double, arms.size()>> ticks(static_cast<size_t>(rounds));
  std::array<size_t, arms.size()> order{};
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (auto& round : ticks) {
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t arm : order) {
      const uint64_t begin = maxlat_counter_fenced();
      arms[arm].run(arms[arm].ring != nullptr ? *arms[arm].ring : small);
      round[arm] = static_cast<double>(maxlat_counter_fenced() - begin) / kEvents;
      if (arms[arm].drained) arms[arm].ring->drain();
    }
  }
  std::printf("%-36s %12s %12s\n", "arm", "ticks/event", "to bare");
  for (size_t arm = 0; arm < arms.size(); ++arm) {
    std::vector<double> cost, ratio;
    for (const auto& round : ticks) {
      cost.push_back(round[arm]);
      ratio.push_back(round[arm] / round[0]);
    }
    std::printf("%-36s %12.1f %12.3f\n", arms[arm].name, median(cost), median(ratio));
  }
}

// What each of single events costs: the tail. The rings have been used, or their first touch would be in it.
void compare_singles(int rounds, std::mt19937& random, Ring& cpu_discard, Ring& cpu_unlocked) {
  std::array<Tail, 3> tails;
  for (int round = 0; round < rounds; ++round) {
    std::array<size_t, 3> turn{0, 1, 2};
    std::shuffle(turn.begin(), turn.end(), random);
    for (const size_t arm : turn) {
      if (arm == 0) tails[0].take([](uint64_t i) { keep(i); });
      if (arm == 1) singles<MAXLAT_RING_CPU>(tails[1], cpu_discard);
      if (arm == 2) singles<MAXLAT_RING_THREAD>(tails[2], cpu_unlocked);
    }
  }
  std::printf("\n%-36s %12s %12s %12s %12s %12s\n", "ticks of single events", "p50", "p99.9", "p99.99", "max", "N");
  tails[0].print("nothing");
  tails[1].print("cpu, discard");
  tails[2].print("cpu, discard, rseq at its best");
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 300;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (sched_setaffinity(0, sizeof(one), &one) != 0) std::abort();
  std::mt19937 random(1);
  Ring cpu_discard(MAXLAT_RING_SHARED_WRITERS, kSubBufferBits), cpu_unlocked(MAXLAT_RING_SHARED_WRITERS, kSubBufferBits);
  compare_many(rounds, random, cpu_discard, cpu_unlocked);
  compare_singles(rounds, random, cpu_discard, cpu_unlocked);
  return 0;
}
