// SPDX-License-Identifier: MIT
//
// Turns that read more than a history keeps, as one does behind a reader that got no CPU for a second.
#include "watch/watch_turns.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "test_accounting.hpp"
#include "test_events.hpp"

namespace maxlat::attribution {
namespace {

using namespace test;
using core::TimeClass;

constexpr size_t kMostEvents = 150;
constexpr int32_t kShell = 12;

// One CPU's record, a portion for each read.
class ScriptedSource final : public EventSource {
 public:
  const char* backend() const override { return "script"; }
  core::Result<bool> read(size_t, size_t, std::vector<KernelEvent>& events) override {
    if (portions.empty()) return true;
    if (on_read) on_read();
    events.insert(events.end(), portions.front().begin(), portions.front().end());
    read_until = portions.front().back().tick;
    portions.pop_front();
    return portions.empty();
  }
  void stop() override {}
  uint64_t events() const override { return 0; }
  uint64_t lost() const override { return 0; }

  std::deque<std::vector<KernelEvent>> portions;
  std::function<void()> on_read;  // before each portion
  uint64_t read_until = 0;
};

class TurnsOfAWatch : public testing::Test {
 protected:
  void start(const WatchPlan& plan, size_t most_events = kMostEvents) {
    turns_.emplace(
        plan, source_, [this](auto& done) { return read_elsewhere(done[0]); }, base::Moment{.ticks = 0, .ns = 0},
        most_events, [](int32_t thread) { return thread == kMeter; });
    cpu().asked.watch(kMeter);
  }
  void start() { start({.cpus = {3}}); }
  WatchedCpu& cpu() { return *turns_->cpus()[0]; }
  void take_all() {
    for (int turns = 0; turns < 1000 && !turns_->take(); ++turns) continue;
    EXPECT_TRUE(turns_->take()) << "what was asked for meanwhile, as at the end of a watch";
    ASSERT_TRUE(source_.portions.empty());
  }
  // A flood from `tick` on.
  void flood(uint64_t tick, size_t portions) {
    for (size_t i = 0; i < portions; ++i) {
      std::vector<KernelEvent>& portion = source_.portions.emplace_back();
      for (size_t interrupts = 0; interrupts < 50; ++interrupts, tick += 10) {
        portion.push_back(event(tick, EventKind::irq_entry, 7, "flood"));
        portion.push_back(event(tick + 5, EventKind::irq_exit, 7));
      }
    }
  }
  // Of the largest gap.
  std::vector<std::string> told() {
    const auto& kept = cpu().history.largest();
    return kept.empty() ? std::vector<std::string>() : test::told(kept[0].accounting);
  }

  ScriptedSource source_;
  struct Done {
    uint64_t known_at;  // the tick up to which this CPU's own record is read by then
    KernelEvent event;
  };
  std::vector<Done> elsewhere_;
  std::optional<WatchTurns> turns_;

 private:
  core::Result<bool> read_elsewhere(std::vector<KernelEvent>& done) {
    std::vector<Done> later;
    for (const Done& one : elsewhere_)
      if (one.known_at <= source_.read_until)
        done.push_back(one.event);
      else
        later.push_back(one);
    std::stable_sort(done.begin(), done.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
    elsewhere_ = std::move(later);
    return true;
  }
};

KernelEvent by_shell(uint64_t tick, EventKind kind, int32_t number) {
  return {.tick = tick, .number = number, .running = kShell, .kind = kind, .name = ShortName("sh")};
}

std::vector<KernelEvent> a_task_between(uint64_t from, uint64_t to) {
  return {of_vector(from, EventKind::vector_entry, VectorUse::reschedule),
          of_vector(from + 5, EventKind::vector_exit, VectorUse::reschedule), switch_to(from + 10, 5, "task"),
          back_to_meter(to)};
}

const auto kTaskByShell = testing::ElementsAre("task task (tid 5, nice 0), woken by CPU 0, task sh (tid 12): 80",
                                               "around: 20 in 3", "ipi reschedule: 5");

// A defect: what a turn had read first was forgotten before anybody asked whose it was.
TEST_F(TurnsOfAWatch, WhatWasReadFirstIsAccountedForBeforeItIsForgotten) {
  source_.portions.push_back(a_task_between(1010, 1100));
  flood(2000, 40);
  elsewhere_ = {{0, by_shell(1000, EventKind::woken_elsewhere, 5)}};
  start();
  cpu().asked.ask(105, 1105);
  take_all();
  EXPECT_THAT(told(), kTaskByShell);
}

// As above, of a gap that came while the turn was under way.
TEST_F(TurnsOfAWatch, WhatIsAskedForWhileATurnIsUnderWayIsAccountedForToo) {
  flood(2000, 2);
  source_.portions.push_back(a_task_between(5010, 5100));
  flood(6000, 12);
  elsewhere_ = {{5000, by_shell(5000, EventKind::woken_elsewhere, 5)}};
  start();
  source_.on_read = [&] {
    if (source_.portions.size() == 12) cpu().asked.ask(105, 5105);
  };
  take_all();
  EXPECT_THAT(told(), kTaskByShell);
}

// The end of a gap is not read yet when room is made for it.
TEST_F(TurnsOfAWatch, AGapWaitsForItsEnd) {
  const std::vector<KernelEvent> task = a_task_between(4990, 5080);
  flood(2000, 3);
  source_.portions.push_back({task.begin(), task.begin() + 3});
  source_.portions.push_back({task.begin() + 3, task.end()});
  flood(6000, 2);
  elsewhere_ = {{0, by_shell(4985, EventKind::woken_elsewhere, 5)}};
  start({.cpus = {3}}, 301);
  cpu().asked.ask(100, 5085);
  take_all();
  EXPECT_THAT(told(), testing::ElementsAre("task task (tid 5, nice 0), woken by CPU 0, task sh (tid 12): 80",
                                           "around: 15 in 3", "ipi reschedule: 5"));
}

KernelEvent cyclictest(KernelEvent event) {
  event.priority = 4;  // real-time 95
  event.name = ShortName("cyclictest");
  return event;
}

// A defect: the hog of a late wake-up was forgotten, and its time was told as that of the waking.
TEST_F(TurnsOfAWatch, ALateWakeupIsSplitBeforeItsHogIsForgotten) {
  source_.portions.push_back({{.tick = 900, .value = 1000, .running = kMeter, .kind = EventKind::timer_set},
                              switch_to(910, 9, "hog", 0),
                              of_vector(1000, EventKind::vector_entry, VectorUse::local_timer),
                              of_function(1010, EventKind::hrtimer_entry, 0xa0),
                              cyclictest(event(1020, EventKind::waking, kMeter)),
                              of_function(1030, EventKind::hrtimer_exit, 0),
                              of_vector(1040, EventKind::vector_exit, VectorUse::local_timer),
                              cyclictest(back_to_meter(3040)),
                              {.tick = 3050, .value = 4000, .running = kMeter, .kind = EventKind::timer_set}});
  flood(4000, 6);
  start({.cpus = {3}, .watched = Watched::another_program, .threads = {"cyclictest", 95}});
  take_all();
  const auto latest = cpu().wakeups.told(0, {});
  ASSERT_EQ(latest.size(), 1u);
  EXPECT_EQ(latest[0].others_ns, 2000);
  EXPECT_EQ(latest[0].waking_ns, 30);
  EXPECT_EQ(latest[0].accounting[0].name, "hog (tid 9, real-time 99)");
}

// One that is longer than the history: whose its time was is not known, so it has no steps.
TEST_F(TurnsOfAWatch, AWakeupWhoseWayIsForgottenIsNotAmongThem) {
  source_.portions.push_back({{.tick = 900, .value = 1000, .running = kMeter, .kind = EventKind::timer_set},
                              switch_to(910, 9, "hog", 0),
                              of_vector(1000, EventKind::vector_entry, VectorUse::local_timer),
                              of_function(1010, EventKind::hrtimer_entry, 0xa0),
                              cyclictest(event(1020, EventKind::waking, kMeter)),
                              of_function(1030, EventKind::hrtimer_exit, 0),
                              of_vector(1040, EventKind::vector_exit, VectorUse::local_timer)});
  flood(2000, 6);
  source_.portions.push_back({cyclictest(back_to_meter(9040)),
                              {.tick = 9050, .value = 10'000, .running = kMeter, .kind = EventKind::timer_set}});
  start({.cpus = {3}, .watched = Watched::another_program, .threads = {"cyclictest", 95}});
  take_all();
  EXPECT_TRUE(cpu().wakeups.told(0, {}).empty());
}

// Each with its own threads: that of the pair before is any other task.
TEST_F(TurnsOfAWatch, APreemptionIsThatOfItsOwnThreads) {
  constexpr int32_t kPartner = 76;
  source_.portions.push_back({switch_to(900, kPartner, "maxlat", 5),
                              of_vector(1005, EventKind::vector_entry, VectorUse::local_timer),
                              event(1010, EventKind::waking, kMeter),
                              of_vector(1020, EventKind::vector_exit, VectorUse::local_timer),
                              back_to_meter(1022), switch_to(1100, 0, "swapper/3")});
  const auto told_with = [&](const core::AskedGap& gap) {
    source_.portions.push_back({event(2000, EventKind::irq_entry, 7, "behind")});
    cpu().asked.ask(gap);
    take_all();
    return told();
  };
  start({.cpus = {3}, .watched = Watched::preemption, .gaps_kept = 1});
  EXPECT_THAT(told_with({.ticks = 24, .end = 1024, .thread = kMeter, .partner = kPartner}),
              testing::ElementsAre("local timer: 15", "around: 9 in 3"));
  EXPECT_THAT(told_with({.ticks = 25, .end = 1025, .thread = 71, .partner = kPartner}),
              testing::Contains("task npt (tid 77, real-time 99), woken by local timer: 3"));
}

// A run of gaps made at random, of which it is known who sent what came in each, and who woke whom.
class RandomRun {
 public:
  struct Gap {
    core::AskedGap asked;
    std::string by;  // "CPU 0, task t (tid 31)"
  };

  RandomRun(uint64_t seed, uint64_t latest) : random_(seed), latest_(latest) {
    for (int i = 0; i < 200; ++i) {
      for (uint64_t others = below(10); others > 0; --others) interrupt();
      now_ += 10 + below(200);
      const uint64_t from = now_;
      now_ += 5;
      const std::string by = below(2) == 0 ? woken_task() : sent_interrupt();
      now_ += 5;
      gaps.push_back({{now_ - from, now_}, by});
      now_ += 10;
    }
  }

  std::vector<KernelEvent> own;
  struct Done {
    uint64_t known_at;
    KernelEvent event;
  };
  std::vector<Done> elsewhere;
  std::vector<Gap> gaps;

 private:
  uint64_t below(uint64_t limit) { return random_() % limit; }
  void interrupt() {
    now_ += 1 + below(50);
    own.push_back(event(now_, EventKind::irq_entry, 7, "eth0"));
    own.push_back(event(now_ += 3, EventKind::irq_exit, 7));
  }
  std::string done_by_a_thread(EventKind kind, int32_t number) {
    const auto thread = static_cast<int32_t>(30 + below(5));
    const KernelEvent done{
        .tick = now_ - 1 - below(8), .number = number, .running = thread, .kind = kind, .name = ShortName("t")};
    elsewhere.push_back({done.tick + below(latest_ + 1), done});
    return fmt::format("CPU 0, task t (tid {})", thread);
  }
  std::string woken_task() {
    const auto task = static_cast<int32_t>(5 + below(3));
    std::string by = done_by_a_thread(EventKind::woken_elsewhere, task);
    own.push_back(switch_to(now_, task, "task"));
    own.push_back(back_to_meter(now_ += 20 + below(100)));
    return by;
  }
  std::string sent_interrupt() {
    std::string by = done_by_a_thread(EventKind::ipi_sent, 0);
    own.push_back(of_vector(now_, EventKind::vector_entry, VectorUse::reschedule));
    own.push_back(of_vector(now_ += 20 + below(100), EventKind::vector_exit, VectorUse::reschedule));
    return by;
  }

  std::mt19937_64 random_;
  const uint64_t latest_;  // how much later than this CPU's own events what another did is known
  uint64_t now_ = 1000;
};

class RandomTurns : public TurnsOfAWatch {
 protected:
  struct Names {
    size_t right = 0, wrong = 0, none = 0;
  };
  Names names_of(uint64_t seed, uint64_t latest) {
    RandomRun run(seed, latest);
    std::mt19937_64 random(seed);
    source_ = {};
    elsewhere_.clear();
    for (const RandomRun::Done& done : run.elsewhere) elsewhere_.push_back({done.known_at, done.event});
    for (size_t first = 0; first < run.own.size();) {
      const auto size = static_cast<std::ptrdiff_t>(std::min<size_t>(1 + random() % 40, run.own.size() - first));
      const auto begin = run.own.begin() + static_cast<std::ptrdiff_t>(first);
      source_.portions.emplace_back(begin, begin + size);
      first += static_cast<size_t>(size);
    }
    start({.cpus = {3}, .gaps_kept = run.gaps.size()}, 50);
    size_t asked = 0;
    const auto ask_until = [&](uint64_t tick) {
      for (; asked < run.gaps.size() && run.gaps[asked].asked.end <= tick; ++asked)
        cpu().asked.ask(run.gaps[asked].asked.ticks, run.gaps[asked].asked.end);
    };
    // As in life: what is read was recorded before, and so was asked for, but for a portion that is under way.
    source_.on_read = [&] { ask_until(source_.portions.front().back().tick); };
    while (!turns_->take()) continue;
    ask_until(UINT64_MAX);
    EXPECT_TRUE(turns_->take());
    return judge(run);
  }

 private:
  Names judge(const RandomRun& run) {
    Names names;
    EXPECT_EQ(cpu().history.largest().size(), run.gaps.size());
    for (const CpuHistory::Kept& kept : cpu().history.largest()) {
      const auto gap = std::find_if(run.gaps.begin(), run.gaps.end(),
                                    [&](const auto& one) { return one.asked.end == kept.gap.end; });
      for (const Part& part : kept.accounting.parts) {
        if (part.kind == TimeClass::before_history) ++names.none;
        if (part.kind != TimeClass::task && part.kind != TimeClass::ipi) continue;
        const std::string& by = part.kind == TimeClass::task ? part.woken_by : part.sent_by;
        ++(by.empty() ? names.none : by == gap->by ? names.right : names.wrong);
      }
    }
    return names;
  }
};

TEST_F(RandomTurns, EveryWakerAndSenderIsNamedHoweverLittleIsKept) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Names names = names_of(seed, 0);
    ASSERT_EQ(names.wrong, 0u) << seed;
    ASSERT_EQ(names.none, 0u) << seed;
    ASSERT_EQ(names.right, 200u) << seed;
  }
}

// What is known so late that its time is forgotten names nobody, and nobody else.
TEST_F(RandomTurns, WhatIsKnownTooLateNamesNobodyWrongly) {
  size_t none = 0, right = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Names names = names_of(seed, 5000);
    ASSERT_EQ(names.wrong, 0u) << seed;
    none += names.none;
    right += names.right;
  }
  EXPECT_GT(none, 1000u) << "else nothing of it is late";
  EXPECT_GT(right, 100u) << "else all of it is";
}

}  // namespace
}  // namespace maxlat::attribution
