// SPDX-License-Identifier: MIT
//
// paper_k42 [ROUNDS]: how often K42's race strikes (Desnoyers 2012, section 2), when it is the scheduler that is
// drawn, and neither the machine nor the time: the same number gives the same table everywhere.
//
// K42's buffer, as the paper tells it. A context reserves by compare-and-exchange; whoever crosses into another
// sub-buffer says in the same step that the one before is produced; each writes its words and adds their number to the
// sub-buffer's count. The reader takes a sub-buffer that is produced and whose count is a multiple of its size. Where
// nothing of it was committed yet, the count still is one: that of the pass before. The cure is LTTng's: the count must
// be that of this pass.
//
// Contexts: tasks of one CPU that preempt each other, each of which may be interrupted by a handler that traces, too,
// three deep. Before each access to a shared word another may go on (test_fibers.hpp). A strike: the reader has a
// sub-buffer with a word that is not of its pass.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <test_fibers.hpp>

#include "rounds.hpp"

namespace {

using maxlat::ring_test::Fibers;

constexpr uint64_t kSubBuffers = 4, kEventWords = 4, kEvents = 60;
constexpr int kDeepest = 3;
constexpr uint64_t kDrawnFor = 24;  // a handler before one of so many accesses

enum class Test { of_k42, of_lttng };

struct Setting {
  uint64_t events_of_a_sub_buffer;
  int tasks;
};

class Play {
 public:
  Play(const Setting& setting, Test test, uint64_t seed)
      : words_(setting.events_of_a_sub_buffer * kEventWords),
        test_(test),
        tasks_(setting.tasks),
        fibers_(seed),
        pace_(2 + static_cast<uint32_t>(fibers_.random()() % 12)),
        pass_of_(kSubBuffers * words_) {}

  void run() {
    for (int i = 0; i < tasks_; ++i)
      fibers_.add([this] {
        for (uint64_t n = 0; n < kEvents; ++n) trace(0);
        --writing_;
      });
    fibers_.add([this] { read(); });
    fibers_.run();
  }
  uint64_t strikes() const { return strikes_; }
  uint64_t taken() const { return consumed_; }

 private:
  void step(int depth) {
    if (depth < kDeepest && fibers_.chance(kDrawnFor)) trace(depth + 1);
    // A handler runs to its end before the task that it interrupted; a reader on another CPU runs beside it.
    if (depth == 0 && fibers_.chance(pace_)) fibers_.pass();
    if (depth > 0 && fibers_.chance(pace_)) reads_beside();
  }

  void trace(int depth) {
    uint64_t at = 0;
    do {
      step(depth);
      at = index_;
      if (at / words_ - consumed_ >= kSubBuffers) return;  // full: the event is dropped
      step(depth);
    } while (index_ != at);
    index_ = at + kEventWords;
    produced_ = index_ / words_;
    for (uint64_t i = at; i < at + kEventWords; ++i) {
      step(depth);
      pass_of_[i % pass_of_.size()] = 1 + i / pass_of_.size();
    }
    step(depth);
    count_[at / words_ % kSubBuffers] += kEventWords;
  }

  void read() {
    while (writing_ > 0) {
      reads_beside();
      fibers_.pass();
    }
  }
  void reads_beside() {
    if (consumed_ >= produced_) return;
    const uint64_t pass = consumed_ / kSubBuffers, count = count_[consumed_ % kSubBuffers];
    if (test_ == Test::of_k42 ? count % words_ != 0 : count != (pass + 1) * words_) return;
    bool whole = true;
    for (uint64_t i = consumed_ * words_; i < (consumed_ + 1) * words_; ++i)
      whole = whole && pass_of_[i % pass_of_.size()] == pass + 1;
    if (!whole) ++strikes_;
    ++consumed_;
  }

  const uint64_t words_;
  const Test test_;
  const int tasks_;
  Fibers fibers_;
  const uint32_t pace_;
  int writing_ = tasks_;
  uint64_t index_ = 0, produced_ = 0, consumed_ = 0, strikes_ = 0;
  std::array<uint64_t, kSubBuffers> count_{};
  std::vector<uint64_t> pass_of_;  // each word's, from 1
};

struct Strikes {
  uint64_t schedules = 0, sub_buffers = 0, taken = 0;
};

Strikes strikes_of(const Setting& setting, Test test, uint64_t schedules) {
  Strikes all;
  for (uint64_t seed = 1; seed <= schedules; ++seed) {
    Play play(setting, test, seed);
    play.run();
    all.schedules += play.strikes() != 0 ? 1 : 0;
    all.sub_buffers += play.strikes();
    all.taken += play.taken();
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned schedules = maxlat::bench::papers::rounds_of(argc, argv, 1000);
  if (schedules == 0) return 1;
  fmt::print("## K42's race (Desnoyers 2012, section 2)\n\n");
  fmt::print("{} rounds, {} events a task in each; round N is drawn from seed N.\n\n", schedules, kEvents);
  fmt::print(
      "| events of a sub-buffer | tasks | schedules that it strikes | of a thousand sub-buffers | with LTTng's test |\n"
      "|--:|--:|--:|--:|--:|\n");
  for (const uint64_t events : {1u, 2u, 4u, 8u, 16u})
    for (const int tasks : {1, 4}) {
      const Setting setting{events, tasks};
      const Strikes k42 = strikes_of(setting, Test::of_k42, schedules);
      const Strikes lttng = strikes_of(setting, Test::of_lttng, schedules);
      fmt::print("| {} | {} | {} | {:.2f} | {} |\n", events, tasks, k42.schedules,
                 1e3 * static_cast<double>(k42.sub_buffers) / static_cast<double>(k42.taken), lttng.sub_buffers);
    }
  return 0;
}
