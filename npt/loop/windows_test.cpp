// SPDX-License-Identifier: MIT
#include "windows.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "cpu_run.hpp"
#include "probe.hpp"
#include "test_counter.hpp"

namespace maxlat::npt {
namespace {

TEST(Windows, TakeTurns) {
  Windows windows(100, 30, 1000);
  EXPECT_TRUE(windows.traced());
  EXPECT_EQ(windows.end(), 1100u);
  windows.advance_to(1099);
  EXPECT_TRUE(windows.traced());
  windows.advance_to(1100);
  EXPECT_FALSE(windows.traced());
  EXPECT_EQ(windows.end(), 1130u);
  windows.advance_to(1131);
  EXPECT_TRUE(windows.traced());
  EXPECT_EQ(windows.end(), 1230u);
}

TEST(Windows, AStallMaySwallowSome) {
  Windows windows(100, 30, 0);
  windows.advance_to(250);  // 0-100 traced, 100-130 waiting, 130-230 traced, 230-260 waiting
  EXPECT_FALSE(windows.traced());
  EXPECT_EQ(windows.end(), 260u);
}

TEST(Windows, WithoutThemAllIsOneTracedWindow) {
  Windows windows(0, 0, 1000);
  windows.advance_to(UINT64_MAX - 1);
  EXPECT_TRUE(windows.traced());
}

// A run by a scripted counter: a turn takes 20 ticks, 70 with an event in it.
class WindowRun : public testing::Test {
 protected:
  static constexpr uint64_t kUnit = 20'000'000;  // ns, and a second's part in a real run: a turn is a turn
  void go(uint64_t rest_ns = 0) {
    const std::atomic<bool> never{false};
    std::atomic<bool> halt{false};
    core::JournalSpec spec;
    spec.step_ticks = kUnit;
    spec.steps = 10;
    spec.look_every_ticks = kUnit / 10;
    spec.duration_ticks = 2 * kUnit;
    spec.rest_ticks = rest_ns;
    spec.outliers = 4;
    spec.stop = &never;
    spec.halt = &halt;
    traced = std::make_unique<CpuRun>(0, spec);
    waiting = std::make_unique<CpuRun>(0, spec);
    CpuRun warm_up(0, without_limits(spec));
    Options options;
    options.loops = 0;
    options.uncounted_loops = 3;
    options.rest_ns = rest_ns;
    options.trace_window_ns = kUnit / 100;
    options.wait_window_ns = kUnit / 50;
    script.gaps = {20};
    const maxlat_npt_probe arm{this, nullptr,
                               [](void* self, uint64_t, uint64_t) {
                                 auto& test = *static_cast<WindowRun*>(self);
                                 test.script.now += 50;
                                 ++test.events;
                               },
                               nullptr};
    const auto sleep = [this](uint64_t ns) { script.now += ns; };
    run_cpu(ScriptedCounter{&script}, CalledProbe{arm}, sleep, options, base::clock_with_rate(1.0),
            {warm_up, *traced, waiting.get()});
  }
  Script script;
  uint64_t events = 0;
  std::unique_ptr<CpuRun> traced, waiting;
};

TEST_F(WindowRun, EachKindHasItsOwnHistogram) {
  go();
  EXPECT_EQ(traced->histogram.min(), 70u);
  EXPECT_EQ(traced->histogram.max(), 70u);
  EXPECT_EQ(waiting->histogram.min(), 20u);
  EXPECT_EQ(waiting->histogram.max(), 20u);
  EXPECT_EQ(traced->histogram.total(), traced->samples);
  EXPECT_EQ(waiting->histogram.total(), waiting->samples);
  EXPECT_EQ(events, traced->samples + 3) << "one event a sample, and those of the warm-up";
  EXPECT_EQ(traced->probes, events);
  EXPECT_EQ(waiting->probes, 0u);
}

TEST_F(WindowRun, TheTimeIsSharedAsAskedFor) {
  go();
  const auto share = static_cast<double>(waiting->exposure_ticks) /
                     static_cast<double>(waiting->exposure_ticks + traced->exposure_ticks);
  EXPECT_NEAR(share, 2.0 / 3, 0.01);
  EXPECT_EQ(traced->why, core::Journal::Why::duration_over);
  EXPECT_EQ(waiting->why, core::Journal::Why::duration_over);
}

TEST_F(WindowRun, ARestEndsNoWindow) {
  go(kUnit / 10);
  EXPECT_EQ(traced->histogram.max(), 70u);
  EXPECT_EQ(waiting->histogram.max(), 20u);
  EXPECT_NEAR(static_cast<double>(traced->exposure_ticks + waiting->exposure_ticks), 1.8 * kUnit, 0.02 * kUnit);
}

}  // namespace
}  // namespace maxlat::npt
