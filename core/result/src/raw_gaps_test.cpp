// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/result/raw_gaps.hpp>
#include <maxlat/test/temporary_folder.hpp>

namespace maxlat::core {
namespace {

using testing::HasSubstr;

const RawGaps kThree{
    .cpu = 3, .ticks_per_ns = 2, .threshold_ns = 200, .watched_s = 10, .gaps = {{1e6, 1000}, {5e6, 9000}, {9e9, 500}}};

TEST(RawGaps, AreTheLinesOfSysjitter) {
  EXPECT_EQ(sysjitter_text(kThree),
            "# cpu_mhz: 2000\n"
            "# threshold: 200ns\n"
            "# n_interruptions: 3\n"
            "# interruption: 0.000105%\n"
            "# total_interruption: 21000 cycles\n"
            "# total_runtime: 20000000000 cycles\n"
            "# total_interruption: 0.000010500 seconds\n"
            "# total_runtime: 10.000000000 seconds\n"
            "#\n"
            "#      Timestamp      delta   <== interruption =>\n"
            "#         (nsec)     (usec)   (cycles)     (nsec)\n"
            "         1000000          0       2000       1000\n"
            "         5000000       4000      18000       9000\n"
            "      9000000000    8995000       1000        500\n");
}

TEST(RawGaps, WhatFoundNoRoomIsTold) {
  RawGaps raw = kThree;
  EXPECT_THAT(sysjitter_text(raw), testing::Not(HasSubstr("not_kept")));
  raw.not_kept = 7;
  EXPECT_THAT(sysjitter_text(raw), HasSubstr("# not_kept: 7\n"));
}

TEST(RawGaps, NoneAreAHeaderAlone) {
  EXPECT_THAT(sysjitter_text({.cpu = 0, .ticks_per_ns = 2, .threshold_ns = 200, .watched_s = 0}),
              testing::AllOf(HasSubstr("# n_interruptions: 0\n"), HasSubstr("# interruption: 0.000000%\n")));
}

TEST(RawGaps, OneFileThatCannotBeWrittenKeepsNoOther) {
  const test::TemporaryFolder folder;
  RawGaps other = kThree;
  other.cpu = 4;
  std::filesystem::create_directory(folder / "gaps.3");
  const RawGaps both[] = {kThree, other};
  EXPECT_FALSE(write_raw_gaps(folder / "gaps", both));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "gaps.4"));
}

}  // namespace
}  // namespace maxlat::core
