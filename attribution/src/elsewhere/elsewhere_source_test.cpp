// SPDX-License-Identifier: MIT
//
// With the kernel of this machine, where it lets us.
#include "elsewhere/elsewhere_source.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <thread>

namespace maxlat::attribution {
namespace {

// A thread on one CPU sleeps until this one, on another, wakes it.
TEST(ElsewhereSource, AWakingFromAnotherCpuIsRecordedWithItsTask) {
  const auto allowed = core::allowed_cpus();
  ASSERT_TRUE(allowed);
  if (allowed->size() < 2) GTEST_SKIP() << "cannot run here: one CPU";
  const unsigned here = allowed->front(), there = allowed->back();
  auto source = ElsewhereSource::open({there});
  if (!source) GTEST_SKIP() << "cannot run here: " << source.error().text;

  const base::Descriptor to_sleeper(::eventfd(0, 0)), from_sleeper(::eventfd(0, 0));
  std::atomic<pid_t> sleeper = 0;
  std::thread thread([&] {
    ASSERT_TRUE(core::set_affinity({there}));
    sleeper = ::gettid();
    for (uint64_t word = 0; ::read(to_sleeper.number(), &word, sizeof word) > 0 && word == 1;)
      (void)::write(from_sleeper.number(), &word, sizeof word);
  });
  ASSERT_TRUE(core::set_affinity({here}));
  std::vector<std::vector<KernelEvent>> done(1);
  const auto wakings_of_ours = [&] {
    return std::count_if(done[0].begin(), done[0].end(), [&](const KernelEvent& event) {
      return event.kind == EventKind::woken_elsewhere && event.number == sleeper && event.running == ::gettid() &&
             event.value == here && !event.name.text().empty();
    });
  };
  // It may not have slept yet when it is woken: then the next time.
  uint64_t go_on = 1;
  for (int rounds = 0; rounds < 1000 && wakings_of_ours() == 0; ++rounds) {
    ASSERT_GT(::write(to_sleeper.number(), &go_on, sizeof go_on), 0);
    ASSERT_GT(::read(from_sleeper.number(), &go_on, sizeof go_on), 0);
    const auto whole = source->read(done);
    ASSERT_TRUE(whole) << whole.error().text;
  }
  const uint64_t end = 2;
  ASSERT_GT(::write(to_sleeper.number(), &end, sizeof end), 0);
  thread.join();
  (void)core::set_affinity(*allowed);
  EXPECT_GT(wakings_of_ours(), 0);
  EXPECT_TRUE(std::is_sorted(done[0].begin(), done[0].end(),
                             [](const KernelEvent& a, const KernelEvent& b) { return a.tick < b.tick; }));
}

}  // namespace
}  // namespace maxlat::attribution
