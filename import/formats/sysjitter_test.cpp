// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <maxlat/core/result/fact_names.hpp>

#include "formats/test_files.hpp"

namespace maxlat::importing {
namespace {

using test::imported;
using test::testdata;
using testing::HasSubstr;

TEST(Sysjitter, EveryInterruptionOfSysjitterHasItsTime) {
  const auto run = imported(testdata("sysjitter-raw.txt"));
  ASSERT_TRUE(run.ok()) << run.error().text;
  const core::Phase& phase = run->phases[0];
  EXPECT_EQ(phase.facts.at(core::fact::kOnlyAbove), "200ns");
  EXPECT_FALSE(phase.facts.contains(core::fact::kNotKept));
  ASSERT_EQ(phase.per_cpu.size(), 1u);
  const core::CpuResult& cpu = phase.per_cpu[0];
  EXPECT_EQ(cpu.samples, 3u);
  EXPECT_EQ(cpu.min_ns, 500);
  EXPECT_EQ(cpu.max_ns, 9000);
  EXPECT_EQ(cpu.exposure_s, 10);
  ASSERT_EQ(cpu.outliers.size(), 3u);
  EXPECT_EQ(cpu.outliers[0].t_ns, 5e6);
}

TEST(Sysjitter, WhatOurRawFileDidNotKeepIsToldOfItsImport) {
  const auto run =
      imported("# cpu_mhz: 2000\n# threshold: 200ns\n# n_interruptions: 1\n# not_kept: 426\n  1000 2000 1000\n");
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].facts.at(core::fact::kNotKept), "426");
  EXPECT_FALSE(imported("# cpu_mhz: 2000\n# not_kept: many\n# n_interruptions: 1\n  1000 2000 1000\n").ok());
}

TEST(Sysjitter, FilesOfSysjitterOneBehindTheOtherAreThreads) {
  const std::string one = testdata("sysjitter-raw.txt");
  const auto run = imported(one + one);
  ASSERT_TRUE(run.ok()) << run.error().text;
  ASSERT_EQ(run->phases[0].per_cpu.size(), 2u);
  EXPECT_EQ(run->phases[0].exposure_s, 20);
}

// A defect: such a core was left out. sysjitter itself does not tell the runtime of one, our own --raw does.
TEST(Sysjitter, ACoreOfSysjitterWithoutAnInterruptionIsThere) {
  const std::string none = "# cpu_mhz: 2000\n# threshold: 200ns\n# n_interruptions: 0\n";
  const auto run = imported(none + "# total_runtime: 9.5 seconds\n" + testdata("sysjitter-raw.txt") + none);
  ASSERT_TRUE(run.ok()) << run.error().text;
  const core::Phase& phase = run->phases[0];
  ASSERT_EQ(phase.per_cpu.size(), 3u);
  EXPECT_EQ(phase.per_cpu[0].samples, 0u);
  EXPECT_EQ(phase.per_cpu[0].exposure_s, 9.5);
  EXPECT_EQ(phase.per_cpu[1].samples, 3u);
  EXPECT_EQ(phase.per_cpu[2].exposure_s, 0);
  EXPECT_THAT(phase.warnings, testing::Contains(HasSubstr("no exposure")));
  EXPECT_TRUE(core::from_json(core::to_json(*run)).ok());
  EXPECT_FALSE(imported(testdata("sysjitter-raw.txt") + test::replaced(none, "200ns", "300ns")).ok());
  EXPECT_FALSE(imported(none).ok()) << "no sample at all";
}

TEST(Sysjitter, SortedInterruptionsOfSysjitterHaveThreeColumns) {
  const auto run = imported("# cpu_mhz: 2000\n# threshold: 200ns\n# n_interruptions: 1\n  1000 2000 1000\n");
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].per_cpu[0].max_ns, 1000);
}

}  // namespace
}  // namespace maxlat::importing
