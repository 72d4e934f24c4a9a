// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <maxlat/core/sys/open_metrics.hpp>

namespace maxlat::core {
namespace {

TEST(OpenMetrics, AFamilyAndItsSamples) {
  OpenMetrics metrics;
  metrics.family("maxlat_exposure_seconds", OpenMetrics::Type::gauge, "seconds", "Watched.");
  metrics.sample("", {{"phase", "npt"}, {"cpu", "3"}}, 59.25);
  metrics.sample("", {}, 1e-9);
  metrics.family("stalls", OpenMetrics::Type::counter, "", "Stalls.");
  metrics.sample("_total", {}, 12);
  EXPECT_EQ(metrics.text(),
            "# TYPE maxlat_exposure_seconds gauge\n"
            "# UNIT maxlat_exposure_seconds seconds\n"
            "# HELP maxlat_exposure_seconds Watched.\n"
            "maxlat_exposure_seconds{phase=\"npt\",cpu=\"3\"} 59.25\n"
            "maxlat_exposure_seconds 1e-09\n"
            "# TYPE stalls counter\n"
            "# HELP stalls Stalls.\n"
            "stalls_total 12\n"
            "# EOF\n");
}

TEST(OpenMetrics, WhateverIsPutInDoesNotLeaveItsPlace) {
  OpenMetrics metrics;
  metrics.family("a b\n# EOF", OpenMetrics::Type::info, "", "two\nlines \"and\" \\");
  metrics.sample("_info", {{"7 up", "x\"} 1\n# EOF\n\\\xff"}}, 1);
  EXPECT_EQ(metrics.text(),
            "# TYPE a_b___EOF info\n"
            "# HELP a_b___EOF two\\nlines \\\"and\\\" \\\\\n"
            "a_b___EOF_info{_7_up=\"x\\\"} 1\\n# EOF\\n\\\\\xef\xbf\xbd\"} 1\n"
            "# EOF\n");
}

TEST(OpenMetrics, TheOlderFormatOfPrometheus) {
  OpenMetrics metrics(OpenMetrics::Format::prometheus);
  metrics.family("gap_seconds", OpenMetrics::Type::gauge, "seconds", "Watched.");
  metrics.sample("", {{"cpu", "3"}}, 59.25);
  metrics.family("stalls", OpenMetrics::Type::counter, "", "Stalls.");
  metrics.sample("_total", {}, 12);
  metrics.family("build", OpenMetrics::Type::info, "", "Which \"one\" \\.");
  metrics.sample("_info", {{"version", "1"}}, 1);
  EXPECT_EQ(metrics.text(),
            "# HELP gap_seconds Watched.\n"
            "# TYPE gap_seconds gauge\n"
            "gap_seconds{cpu=\"3\"} 59.25\n"
            "# HELP stalls_total Stalls.\n"
            "# TYPE stalls_total counter\n"
            "stalls_total 12\n"
            "# HELP build_info Which \"one\" \\\\.\n"
            "# TYPE build_info gauge\n"
            "build_info{version=\"1\"} 1\n");
}

TEST(OpenMetrics, NumbersThatAreNone) {
  OpenMetrics metrics;
  metrics.family("g", OpenMetrics::Type::gauge, "", "");
  for (const double value : std::initializer_list<double>{INFINITY, -INFINITY, NAN}) metrics.sample("", {}, value);
  EXPECT_NE(metrics.text().find("g +Inf\ng -Inf\ng NaN\n"), std::string::npos);
}

}  // namespace
}  // namespace maxlat::core
