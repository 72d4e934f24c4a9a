// SPDX-License-Identifier: MIT
#include "hwlat_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace maxlat::hwlat {
namespace {

using testing::HasSubstr;

TEST(HwlatOptions, TheDefaultsAreHwlatdetects) {
  const auto options = parse_options({});
  ASSERT_TRUE(options.ok()) << options.error().text;
  EXPECT_EQ(options->settings.duration_ns, 120'000'000'000u);
  EXPECT_EQ(options->settings.threshold_ns, 10'000u);
  EXPECT_EQ(options->settings.window_ns, 0u);  // the back end's own
  EXPECT_EQ(options->settings.width_ns, 0u);
  EXPECT_EQ(options->settings.mode, SamplingMode::per_cpu);
  EXPECT_EQ(options->hard_limit_ns, 0u);  // a finding is not a failure
  EXPECT_EQ(options->settings.cpus, *core::online_cpus());
}

TEST(HwlatOptions, ATimeHasItsUnitButForCyclictestsLetter) {
  const auto options =
      parse_options({"--threshold", "15us", "--window=1s", "--width", "800ms", "--hardlimit=50us", "--duration", "3"});
  ASSERT_TRUE(options.ok()) << options.error().text;
  EXPECT_EQ(options->settings.threshold_ns, 15'000u);
  EXPECT_EQ(options->settings.window_ns, 1'000'000'000u);
  EXPECT_EQ(options->settings.width_ns, 800'000'000u);
  EXPECT_EQ(options->hard_limit_ns, 50'000u);
  EXPECT_EQ(options->settings.duration_ns, 3'000'000'000u);
}

TEST(HwlatOptions, HwnoisesNamesMeanTheSame) {
  const auto options = parse_options({"--period", "1s", "-r", "750ms", "-c", "0", "-T", "5us", "-s", "20us"});
  ASSERT_TRUE(options.ok()) << options.error().text;
  EXPECT_EQ(options->settings.window_ns, 1'000'000'000u);
  EXPECT_EQ(options->settings.width_ns, 750'000'000u);
  EXPECT_EQ(options->settings.cpus, core::CpuList{0});
  EXPECT_EQ(options->settings.threshold_ns, 5'000u);
  EXPECT_EQ(options->stop_ns, 20'000u);
}

TEST(HwlatOptions, TheModesAreNamed) {
  for (const SamplingMode mode : {SamplingMode::per_cpu, SamplingMode::round_robin, SamplingMode::stop_machine}) {
    const auto options = parse_options({"--mode", to_string(mode)});
    ASSERT_TRUE(options.ok()) << options.error().text;
    EXPECT_EQ(options->settings.mode, mode);
  }
}

struct Mistake {
  core::Arguments arguments;
  const char* says;
};

TEST(HwlatOptions, MistakesAreOneLine) {
  const Mistake mistakes[] = {{{"--width", "2s"}, "longer than --window"},
                              {{"--width", "0"}, "longer than 0"},
                              {{"--window", "10us"}, "at least 1 ms"},
                              {{"--threshold", "0"}, "longer than 0"},
                              {{"--hardlimit", "0"}, "longer than 0"},
                              {{"--threshold", "fast"}, "--threshold"},
                              {{"--backend", "magic"}, "unknown back end"},
                              {{"--mode", "magic"}, "unknown mode"},
                              {{"--stop", "0"}, "longer than 0"},
                              {{"--threshold", "50"}, "has no unit"},
                              {{"--window", "1000000"}, "has no unit"},
                              {{"--window", "1s", "--period", "1s"}, "the same"},
                              {{"--width", "1ms", "-r", "1ms"}, "the same"},
                              {{"-c", "0", "--cpu-list", "0"}, "the same"},
                              {{"-p", "100"}, "from 1 to 99"},
                              {{"--outliers", "0"}, "from 1"},
                              {{"--snapshot", "1s"}, "--json"},
                              {{"--snapshot", "1s", "--json", "-"}, "--json"},
                              {{"-a", "0", "--cpu-list", "0"}, "the same"},
                              {{"-a", "65000"}, "65000"},
                              {{"surplus"}, "surplus"}};
  for (const Mistake& mistake : mistakes) {
    const auto options = parse_options(mistake.arguments);
    ASSERT_FALSE(options.ok()) << mistake.arguments[0];
    EXPECT_THAT(options.error().text, HasSubstr(mistake.says));
    EXPECT_EQ(options.error().exit_status, core::Exit::error);
  }
}

}  // namespace
}  // namespace maxlat::hwlat
