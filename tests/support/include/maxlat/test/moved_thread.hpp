// SPDX-License-Identifier: MIT
//
// For tests: a thread as the kernel leaves one whose CPU went offline.
#pragma once

#include <gtest/gtest.h>

#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/home_cpu.hpp>
#include <thread>

namespace maxlat::test {

// `body(home, cpus)` on a thread of its own, which is bound to the first of the CPUs that it may use.
template <class Body>
void on_a_bound_thread(Body body) {
  const core::Result<core::CpuList> cpus = core::allowed_cpus();
  ASSERT_TRUE(cpus);
  std::thread([&] {
    ASSERT_TRUE(core::AffinityMask({cpus->front()}).apply(0));
    body(core::HomeCpu::of_this_thread(cpus->front()), *cpus);
  }).join();
}

// `body(home)` on one that is bound to another CPU since.
template <class Body>
void on_a_moved_thread(Body body) {
  if (core::allowed_cpus()->size() < 2) GTEST_SKIP() << "there is no other CPU";
  on_a_bound_thread([&](const core::HomeCpu& home, const core::CpuList& cpus) {
    ASSERT_TRUE(core::AffinityMask({cpus.back()}).apply(0));
    body(home);
  });
}

}  // namespace maxlat::test
