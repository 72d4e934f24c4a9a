// SPDX-License-Identifier: MIT
//
// A run whose books lie in sensors, over a scripted counter, and what a monitor in the same process sees of it before,
// in the middle and at its end. One tick is one nanosecond.
#include "cpu_sensors.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <maxlat/base/moment.hpp>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <variant>
#include <vector>

#include "loop/cpu_run.hpp"
#include "loop/test_counter.hpp"
#include "loop/test_journal.hpp"

namespace maxlat::npt {
namespace {

// What a monitor has of CPU 3.
struct Seen {
  std::optional<sensors::GroupView> group;

  Seen() {
    auto groups = sensors::find_groups(::getpid());
    if (!groups) return;
    for (sensors::GroupView& each : *groups)
      if (each.group() == "npt-cpu3") group.emplace(std::move(each));
  }
  const sensors::SensorFacts& facts(std::string_view name) const {
    for (const sensors::SensorFacts& each : group->sensors())
      if (each.name == name) return each;
    throw std::runtime_error("no such sensor");
  }
  sensors::HistogramValue gaps() const { return std::get<sensors::HistogramValue>(group->read(facts("gaps"))); }
  std::int64_t longest() const { return std::get<sensors::GaugeValue>(group->read(facts("longest"))).value; }
};

// Two seconds, each with a rest at its end, in which `resting` is called.
struct TwoSeconds {
  Options options;
  core::JournalSpec spec = spec_of_seconds(100, kSecond / 10);
  Script script;

  TwoSeconds() {
    options.loops = 0;
    options.uncounted_loops = 0;
    spec.rest_ticks = kSecond / 10;
    spec.duration_ticks = 2 * kSecond;
    script.now = 5 * kSecond;
    script.gaps = {0, 700, 20'000, 300, 5'000'000, 50'000};  // the last again and again: few reads
  }

  std::unique_ptr<CpuRun> go(CpuSensors* sensors, const std::function<void()>& resting) {
    auto run = std::make_unique<CpuRun>(3, spec, sensors);
    CpuRun warm_up(3, without_limits(spec));
    const auto sleep = [&](uint64_t ns) {
      resting();
      script.now += ns;
    };
    run_cpu(ScriptedCounter{&script}, NoProbe{}, sleep, options, base::clock_with_rate(1.0), {warm_up, *run});
    return run;
  }
};

// Before the loop and at its end the whole head is there; as long as it runs, the buckets are.
TEST(CpuSensors, TheBooksAreTheSameAndSeenWhileTheyGrow) {
  const base::CounterClock clock = base::clock_with_rate(1.0);
  TwoSeconds alone;
  const auto expected = alone.go(nullptr, [] {});

  auto published = CpuSensors::publish(3, clock);
  ASSERT_TRUE(published) << published.error().text;
  TwoSeconds seen_by_others;
  seen_by_others.spec.show = CpuSensors::show;
  seen_by_others.spec.show_state = published->get();
  const Seen monitor;
  ASSERT_TRUE(monitor.group);
  EXPECT_EQ(monitor.gaps().total, 0u);
  std::vector<std::uint64_t> totals;
  const auto run = seen_by_others.go(published->get(), [&] {
    const sensors::HistogramValue gaps = monitor.gaps();
    EXPECT_FALSE(gaps.has_moments) << "those of the segments before are no longer those of the buckets";
    totals.push_back(gaps.total);
    EXPECT_EQ(monitor.longest(), 5'000'000);
    EXPECT_GE(gaps.quantile(1), 5'000'000u);
    EXPECT_LT(gaps.quantile(1), 5'005'000u);
  });
  ASSERT_GE(totals.size(), 1u);
  EXPECT_GT(totals.front(), 0u);
  EXPECT_EQ(run->samples, expected->samples);
  EXPECT_EQ(std::memcmp(&run->histogram.raw(), &expected->histogram.raw(), sizeof(maxlat_histogram)), 0);
  const sensors::HistogramValue at_the_end = monitor.gaps();
  EXPECT_TRUE(at_the_end.has_moments);
  EXPECT_EQ(at_the_end.total, expected->histogram.total());
  EXPECT_EQ(at_the_end.max, 5'000'000u);
  EXPECT_EQ(at_the_end.min, 300u);
}

TEST(CpuSensors, OutliersAreListedAsTheyCome) {
  const base::CounterClock clock = base::clock_with_rate(2.0);
  auto published = CpuSensors::publish(3, clock);
  ASSERT_TRUE(published) << published.error().text;
  CpuSensors::show(published->get(), 2000, 2000);
  CpuSensors::show(published->get(), 1000, 2000);
  const Seen monitor;
  ASSERT_TRUE(monitor.group);
  sensors::EventReader reader = monitor.group->events(monitor.facts("outliers"));
  sensors::ListedEvent event;
  std::vector<std::uint64_t> lengths;
  while (reader.next(event, base::monotonic_ns()) != sensors::EventStep::none) {
    std::uint64_t ns = 0;
    std::memcpy(&ns, event.payload.data(), sizeof ns);
    lengths.push_back(ns);
  }
  EXPECT_THAT(lengths, testing::ElementsAre(1000, 500));
  EXPECT_EQ(monitor.longest(), 1000);
}

// A defect: the raw clock's nanoseconds were called ticks.
TEST(CpuSensors, TheUnitIsTheClocks) {
  const auto unit_with = [](const base::CounterClock& clock) {
    auto published = CpuSensors::publish(3, clock);
    const Seen monitor;
    return published && monitor.group ? monitor.facts("gaps").unit : "not seen";
  };
  EXPECT_EQ(unit_with(base::clock_with_rate(2.096026)), "ticks:2096026");
  base::CounterClock raw = base::clock_with_rate(1.0);
  raw.source = base::RateSource::monotonic_raw;
  EXPECT_EQ(unit_with(raw), "ns");
}

// While interrupts are off, others wait; when they are on again, the head has no moments of the stretch that was.
TEST(CpuSensors, NobodySeesTheMomentsOfAStretch) {
  struct Looks {
    const Seen* monitor;
    int* looks;
    void turn_off() const {}
    void turn_on() const {
      EXPECT_GT(monitor->gaps().total, 0u);
      EXPECT_FALSE(monitor->gaps().has_moments);
      ++*looks;
    }
  };
  const base::CounterClock clock = base::clock_with_rate(1.0);
  auto published = CpuSensors::publish(3, clock);
  ASSERT_TRUE(published) << published.error().text;
  const Seen monitor;
  ASSERT_TRUE(monitor.group);
  TwoSeconds two;
  CpuRun run(3, two.spec, published->get());
  CpuRun warm_up(3, without_limits(two.spec));
  int looks = 0;
  run_cpu(
      ScriptedCounter{&two.script}, NoProbe{}, [](uint64_t) {}, two.options, clock, {warm_up, run},
      Looks{&monitor, &looks});
  EXPECT_GE(looks, 2);
  EXPECT_TRUE(monitor.gaps().has_moments);
}

// Whoever looks keeps what was there; nobody finds it any more.
TEST(CpuSensors, TheGroupEndsWithItsOwner) {
  std::optional<Seen> monitor;
  {
    const base::CounterClock clock = base::clock_with_rate(1.0);
    auto published = CpuSensors::publish(3, clock);
    ASSERT_TRUE(published);
    monitor.emplace();
    ASSERT_TRUE(monitor->group);
  }
  EXPECT_EQ(monitor->gaps().total, 0u);
  EXPECT_FALSE(Seen().group);
}

}  // namespace
}  // namespace maxlat::npt
