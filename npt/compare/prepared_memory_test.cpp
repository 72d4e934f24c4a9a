// SPDX-License-Identifier: MIT
#include "prepared_memory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace maxlat::npt {
namespace {

constexpr double kMiB = 1024;  // in KiB

// Counted page by page, unlike what statm tells.
double resident_kib() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;) {
    if (word != "Rss:") continue;
    double kib = 0;
    file >> kib;
    return kib;
  }
  return 0;
}

TEST(PreparedMemory, HoldsOnePageOfSixteenAndGrows) {
  const double before = resident_kib();
  if (before == 0) GTEST_SKIP() << "no /proc/self/smaps_rollup";
  {
    PreparedMemory memory;
    memory.prepare(32u << 20);
    EXPECT_NEAR(resident_kib() - before, 2 * kMiB, 0.5 * kMiB);
    memory.prepare(128u << 20);
    EXPECT_NEAR(resident_kib() - before, 8 * kMiB, 0.5 * kMiB);
    memory.prepare(32u << 20);  // the next trace may be longer again
    EXPECT_NEAR(resident_kib() - before, 8 * kMiB, 0.5 * kMiB);
  }
  EXPECT_NEAR(resident_kib() - before, 0, 0.5 * kMiB);
}

TEST(PreparedMemory, NothingIsNothing) {
  const double before = resident_kib();
  PreparedMemory memory;
  memory.prepare(0);
  EXPECT_NEAR(resident_kib() - before, 0, 0.5 * kMiB);
}

}  // namespace
}  // namespace maxlat::npt
