// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <maxlat/core/sys/duration.hpp>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::core {
namespace {

TEST(ParseDuration, EveryUnitIsExact) {
  const std::vector<std::pair<std::string, uint64_t>> known = {
      {"1ns", 1},
      {"7us", 7'000},
      {"500ms", 500'000'000},
      {"90", 90'000'000'000},
      {"90s", 90'000'000'000},
      {"2m", 120'000'000'000},
      {"1.5h", 5'400'000'000'000},
      {"24h", 86'400'000'000'000},
      {"1d", 86'400'000'000'000},
      {".5s", 500'000'000},
      {"0.000000001s", 1},
      {"0", 0},
      // 0.1 has no exact double; a path through floating point would end in ...99.
      {"0.1d", 8'640'000'000'000},
      {"9223372036854775807ns", 9'223'372'036'854'775'807ull},
  };
  for (const auto& [text, ns] : known) {
    const auto parsed = parse_duration_ns(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().text;
    EXPECT_EQ(*parsed, ns) << text;
  }
}

TEST(ParseDuration, BareNumberTakesTheDefaultUnit) {
  EXPECT_EQ(*parse_duration_ns("100", "us"), 100'000u);
  EXPECT_EQ(*parse_duration_ns("100ms", "us"), 100'000'000u);
}

TEST(ParseDuration, ABareNumberIsRefusedWhereAUnitIsNeeded) {
  EXPECT_EQ(*parse_duration_ns("50us", kUnitNeeded), 50'000u);
  EXPECT_EQ(*parse_duration_ns("0", kUnitNeeded), 0u);
  for (const char* text : {"50", "1.5", "0.0", ".0"}) {
    const auto parsed = parse_duration_ns(text, kUnitNeeded);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().text.find("has no unit"), std::string::npos) << parsed.error().text;
    EXPECT_EQ(parsed.error().hint.find("write " + std::string(text) + "us"), 0u) << parsed.error().hint;
  }
  EXPECT_FALSE(parse_duration_ns("", kUnitNeeded));
}

TEST(ParseDuration, AnythingElseIsAnErrorWithAHint) {
  for (const char* text : {"", "s", "-1s", "+1", "1x", "1 s", "1s ", "1.5.5s", "0x10", "1e3", ".", "0.5ns",
                           "1.0000000001s", "9223372036854775808ns", "106752d", "99999999999999999999", "\xff"}) {
    const auto parsed = parse_duration_ns(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_NE(parsed.error().text.find(text), std::string::npos);
    EXPECT_EQ(parsed.error().text.find("it is negative") != std::string::npos, *text == '-') << parsed.error().text;
    EXPECT_FALSE(parsed.error().hint.empty());
  }
}

TEST(DurationText, IsForPeople) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(0.5), "500 ms");
  EXPECT_EQ(duration_text(0.0000015), "1.5 us");
  EXPECT_EQ(duration_text(12.34), "12.3 s");
  EXPECT_EQ(duration_text(30), "30 s");
  EXPECT_EQ(duration_text(59.99), "1 m");
  EXPECT_EQ(duration_text(200), "3 m 20 s");
  EXPECT_EQ(duration_text(5400), "1 h 30 m");
  EXPECT_EQ(duration_text(86400), "1 d");
  EXPECT_EQ(duration_text(100000), "1 d 3 h");
}

TEST(RateText, HasThreeFiguresAtMost) {
  EXPECT_EQ(rate_text(4.2e6), "4.2 M/s");
  EXPECT_EQ(rate_text(12'345), "12.3 k/s");
  EXPECT_EQ(rate_text(100), "100 /s");
  EXPECT_EQ(rate_text(0.25), "0.25 /s");
  EXPECT_EQ(rate_text(999'700), "1 M/s");  // not "1e+03 k/s"
  EXPECT_EQ(rate_text(999.7), "1 k/s");
}

TEST(LatencyText, HasThreeFiguresAndTheRightUnit) {
  EXPECT_EQ(latency_text(0), "0 ns");
  EXPECT_EQ(latency_text(0.385), "0.385 ns");
  EXPECT_EQ(latency_text(9.5), "9.50 ns");
  EXPECT_EQ(latency_text(120), "120 ns");
  EXPECT_EQ(latency_text(999.4), "999 ns");
  EXPECT_EQ(latency_text(999.7), "1.00 us");  // not "1000 ns"
  EXPECT_EQ(latency_text(4560), "4.56 us");
  EXPECT_EQ(latency_text(9996), "10.0 us");  // not "10.00 us"
  EXPECT_EQ(latency_text(50.1e6), "50.1 ms");
  EXPECT_EQ(latency_text(1.5e9), "1.50 s");
  EXPECT_EQ(latency_text(-4560), "-4.56 us");
}

}  // namespace
}  // namespace maxlat::core
