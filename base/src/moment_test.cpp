// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <maxlat/base/counter.h>

#include <maxlat/base/moment.hpp>

namespace maxlat::base {
namespace {

TEST(Moment, LiesBetweenWhatWasReadBeforeAndAfter) {
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW}) {
    const uint64_t ticks_before = maxlat_counter_fenced(), ns_before = clock_ns(clock);
    const Moment moment = read_both(clock);
    const uint64_t ns_after = clock_ns(clock), ticks_after = maxlat_counter_fenced();
    EXPECT_LE(ticks_before, moment.ticks);
    EXPECT_LE(moment.ticks, ticks_after);
    EXPECT_LE(ns_before, moment.ns);
    EXPECT_LE(moment.ns, ns_after);
  }
}

}  // namespace
}  // namespace maxlat::base
