// SPDX-License-Identifier: MIT
#include "moment_reader.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

namespace maxlat::trace_tools {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kFirst = 1'795'520'000 * kSecond + 5;  // 2026-11-24 11:33:20 in Greenwich

// New York has winter time in November, and is five hours behind.
class ParseMoment : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
    tzset();
  }
  void TearDown() override {
    unsetenv("TZ");
    tzset();
  }
  static std::int64_t ns(const char* text) {
    const auto time = parse_moment(text, kFirst);
    EXPECT_TRUE(time) << text << ": " << (time ? "" : time.error().text);
    return time ? *time : -1;
  }
};

TEST_F(ParseMoment, OfADateIsLocalTime) {
  EXPECT_EQ(ns("2026-11-24T06:33:20"), 1'795'520'000 * kSecond);
  EXPECT_EQ(ns("2026-11-24 06:33:20.25"), 1'795'520'000 * kSecond + kSecond / 4);
  EXPECT_EQ(ns("2026-11-24T06:33"), 1'795'519'980 * kSecond);
  EXPECT_EQ(ns("2026-11-24T06"), 1'795'518'000 * kSecond);
  EXPECT_EQ(ns("2026-11-24"), 1'795'496'400 * kSecond);
  EXPECT_EQ(ns("2026-07-01T00:00:00"), ns("2026-07-01T04:00:00Z")) << "summer time";
}

TEST_F(ParseMoment, OfADateWithAZone) {
  for (const char* same : {"2026-11-24T11:33:20Z", "2026-11-24T12:33:20+01:00", "2026-11-24T12:33:20+0100",
                           "2026-11-24T12:33:20+01", "2026-11-24 06:03:20-05:30"})
    EXPECT_EQ(ns(same), 1'795'520'000 * kSecond) << same;
  EXPECT_EQ(ns("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(ns("2028-02-29T00:00:00Z") + 24 * 3600 * kSecond, ns("2028-03-01T00:00:00Z")) << "a leap year";
}

TEST_F(ParseMoment, OfADayOfTheFirstEvent) {
  EXPECT_EQ(ns("06:33:20.000000001"), 1'795'520'000 * kSecond + 1);
  EXPECT_EQ(ns("6:34"), 1'795'520'040 * kSecond);
}

TEST_F(ParseMoment, FromTheFirstEventAndSince1970) {
  EXPECT_EQ(ns("+1.5s"), kFirst + kSecond * 3 / 2);
  EXPECT_EQ(ns("+90000d"), INT64_MAX);
  EXPECT_EQ(ns("1795520000.5"), 1'795'520'000 * kSecond + kSecond / 2);
  EXPECT_EQ(ns("9223372036854775807.9"), INT64_MAX);
  EXPECT_EQ(ns("9999-12-31"), INT64_MAX) << "beyond what 64 bits of nanoseconds can say";
}

TEST_F(ParseMoment, WhatIsNone) {
  for (const char* none : {"",
                           " ",
                           "noon",
                           "-5",
                           "1.5x",
                           "1.5.5",
                           "2026-13-01",
                           "2026-00-10",
                           "2026-02-30",
                           "2027-02-29",
                           "2026-11-24T24:00",
                           "2026-11-24T12:60",
                           "2026-11-24T12:00:60",
                           "2026-11-24T",
                           "2026-11-24T12:",
                           "2026-11-24T12:00:00x",
                           "2026-11-24T12:00:00+",
                           "2026-11-24T12:00:00+15:00",
                           "2026-11-24T12:00:00+01:60",
                           "2026-11-24T12:00:00Zulu",
                           "2026-11-24 12:00:00 Z",
                           "2026-11",
                           "2026-11-",
                           "26-11-24",
                           "2026/11/24",
                           "12:00:00Z",
                           "25:00:00",
                           "12:61:00",
                           ":",
                           "12:00:",
                           "99999999999999999999"}) {
    const auto time = parse_moment(none, kFirst);
    ASSERT_FALSE(time) << none << " is taken for " << *time;
    EXPECT_EQ(time.error().text, "\"" + std::string(none) + "\" is no time");
  }
  EXPECT_FALSE(parse_moment("+5", kFirst));
  EXPECT_FALSE(parse_moment("+", kFirst));
}

}  // namespace
}  // namespace maxlat::trace_tools
