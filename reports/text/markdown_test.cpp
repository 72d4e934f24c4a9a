// SPDX-License-Identifier: MIT
#include "markdown.hpp"

#include <gmock/gmock.h>

#include <maxlat/reports/report.hpp>

#include "test/test_runs.hpp"

namespace maxlat::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Markdown, NothingBecomesMarkup) {
  EXPECT_EQ(markdown_text("a|b*c\n"), "a&#124;b&#42;c?");
  EXPECT_EQ(markdown_table({"a", "#n"}, {{"<b>", "1"}}), "| a | n |\n| --- | ---: |\n| &#60;b&#62; | 1 |\n");
}

TEST(Markdown, ARunAsTables) {
  core::RunResult run = test::typical_run();
  run.label = "@everybody <script>";
  const std::string text = markdown_summary(run);
  EXPECT_THAT(text, HasSubstr("| phase | status | CPUs | watched | p50 |"));
  EXPECT_THAT(text, HasSubstr("| npt under load | ok | 2 |"));
  EXPECT_THAT(text, HasSubstr("Not comparable with bare metal:"));
  EXPECT_THAT(text, HasSubstr("tracer lttng-ust: skipped: lttng-sessiond is not installed"));
  EXPECT_THAT(text, Not(HasSubstr("@everybody")));
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace maxlat::reports
