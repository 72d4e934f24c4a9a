// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sections.hpp"

namespace maxlat::reports {
namespace {

using core::TimeClass;
using testing::HasSubstr;

std::string table_of(const core::Phase& phase) {
  Html html;
  interference_table(html, phase);
  return html.take();
}

TEST(InterferenceTable, IsOfAllCpusTogether) {
  core::Phase phase;
  EXPECT_EQ(table_of(phase), "");
  phase.interference = {
      {.cpu = 1,
       .watched_ns = 1e9,
       .undisturbed_ns = 1e9 - 30'000,
       .rows = {{.kind = TimeClass::irq, .name = "24 eth<0>", .count = 10, .ns = 30'000, .largest_ns = 5'000}}},
      {.cpu = 2,
       .watched_ns = 1e9,
       .undisturbed_ns = 1e9 - 50'000,
       .rows = {{.kind = TimeClass::irq, .name = "24 eth<0>", .count = 7, .ns = 40'000, .largest_ns = 9'000},
                {.kind = TimeClass::local_timer, .count = 1, .ns = 10'000, .largest_ns = 10'000}}}};
  const std::string table = table_of(phase);
  EXPECT_THAT(table, HasSubstr("What the kernel ran on the measured CPUs"));
  EXPECT_THAT(table, HasSubstr("For 99.9960 % of the time"));
  EXPECT_THAT(table, HasSubstr("<td>irq 24 eth&lt;0&gt;</td>\n<td class=\"n\">17</td>\n<td class=\"n\">70"));
  EXPECT_THAT(table, HasSubstr("<td class=\"n\">0.0035</td>"));
  EXPECT_LT(table.find("<td>irq 24"), table.find("<td>local timer"));
}

TEST(InterferenceTable, TheLatestWakeupsOfAllCpusComeFirst) {
  core::Phase phase;
  phase.interference = {{.cpu = 1, .watched_ns = 1e9, .undisturbed_ns = 1e9}, {.cpu = 2}};
  phase.interference[0].wakeups = {{.t_ns = 5e8, .latency_ns = 3'000, .handler_ns = 3'000}};
  phase.interference[1].wakeups = {
      {.latency_ns = 9'000,
       .late_interrupt_ns = 9'000,
       .accounting = {{.kind = TimeClass::task, .name = "a<b (tid 5, nice 0)", .ns = 9'000, .count = 1}}}};
  const std::string table = table_of(phase);
  EXPECT_THAT(table, HasSubstr("Latest wake-ups, by the kernel"));
  EXPECT_THAT(table, HasSubstr("task a&lt;b (tid 5, nice 0) 9.00"));
  EXPECT_THAT(table, HasSubstr("0.500000\u202fs</td>\n<td class=\"n\">unknown</td>"));
  EXPECT_LT(table.find("a&lt;b"), table.find("0.500000"));
}

TEST(InterferenceTable, TheLastOfManyAreCounted) {
  core::Phase phase;
  phase.interference = {{.cpu = 0, .watched_ns = 1e9, .undisturbed_ns = 0}};
  for (int i = 0; i < 18; ++i)
    phase.interference[0].rows.push_back({.kind = TimeClass::task,
                                          .name = "task-" + std::to_string(i),
                                          .count = 1,
                                          .ns = 1e9 / 18,
                                          .largest_ns = 1e9 / 18});
  EXPECT_THAT(table_of(phase), HasSubstr("And 3 more, in the result file."));
}

}  // namespace
}  // namespace maxlat::reports
