// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/import/import_definition.hpp>
#include <set>

namespace maxlat::importing {
namespace {

using testing::HasSubstr;

std::string cyclictest_json() {
  return core::read_file(std::string(MAXLAT_TESTDATA) + "/cyclictest-2.4.json").value_or("");
}

TEST(Import, EachFormatRecognisesItsOwnAndNothingElse) {
  std::set<std::string_view> names;
  for (const ImportDefinition* definition : import_table()) {
    EXPECT_TRUE(names.insert(definition->name).second) << definition->name;
    for (const char* other : {"", "{}", "T: 0 ( 1) P:95", "# Histogram", "{\"schema\": \"maxlat-result/1\"}"})
      EXPECT_FALSE(definition->recognises(other)) << definition->name << ": " << other;
  }
}

TEST(Import, CyclictestsFileIsAValidRun) {
  const auto run = import_text(cyclictest_json(), "");
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_TRUE(core::validate(*run).ok()) << core::validate(*run).error().text;
  ASSERT_EQ(run->phases.size(), 1u);
  const core::Phase& phase = run->phases[0];
  EXPECT_EQ(phase.kind, "cyclictest");
  EXPECT_EQ(phase.started, "2026-11-21T12:01:38Z");
  EXPECT_EQ(run->ended, "2026-11-21T12:01:40Z");
  EXPECT_EQ(phase.duration_s, 2);
  EXPECT_EQ(phase.facts.at("kernel"), "Linux 6.18.44-fc-v669 #1 SMP PREEMPT_DYNAMIC @0 x86_64");
  EXPECT_EQ(phase.per_cpu[0].max_ns, 171e3);
  // 19,999 and 19,951 cycles of 100 us.
  EXPECT_NEAR(phase.exposure_s, 4.0, 0.05);
  EXPECT_EQ(run->verdict.not_comparable.size(), 1u);
  EXPECT_THAT(core::to_json(*run), testing::Not(HasSubstr("nodename")));
}

TEST(Import, TheIntervalIsThatOfTheCommand) {
  for (const auto& [words, interval_us] : {std::pair{"-i200", 200},
                                           {"-i 200", 200},
                                           {"-qi200", 200},
                                           {"--interval=200", 200},
                                           {"--interval 200", 200},
                                           {"-q", 1000},
                                           {"--priospread", 1000}}) {
    std::string text = cyclictest_json();
    text.replace(text.find("-i100"), 5, words);
    const auto run = import_text(text, "cyclictest-json");
    ASSERT_TRUE(run.ok()) << run.error().text;
    EXPECT_NEAR(run->phases[0].per_cpu[0].exposure_s, 19999e-6 * interval_us, 1e-3 * interval_us) << words;
  }
}

// With -N every number of the file is a thousand times as large; the file says so.
TEST(Import, NanosecondsAreNotTakenForMicroseconds) {
  std::string text = cyclictest_json();
  text.replace(text.find("\"resolution_in_ns\": 0"), 21, "\"resolution_in_ns\": 1");
  const auto run = import_text(text, "");
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].per_cpu[0].max_ns, 171);
}

TEST(Import, WhatIsNotKnownIsSaidWithWhatIs) {
  EXPECT_THAT(import_text("", "").error().text, HasSubstr("empty"));
  EXPECT_THAT(import_text("hello", "").error().hint, HasSubstr("cyclictest-json"));
  EXPECT_THAT(import_text(cyclictest_json(), "nosuch").error().text, HasSubstr("no format \"nosuch\""));
  EXPECT_FALSE(import_text(cyclictest_json().substr(0, 400), "").ok());  // cut
}

// A defect: one of ours that tells of cyclictest was taken for jitterdebugger's, and called not readable.
TEST(Import, AResultOfOursIsSaidToBeOne) {
  const auto run = import_text(cyclictest_json(), "");
  ASSERT_TRUE(run.ok());
  for (const char* format : {"", "jitterdebugger"}) {
    const core::Error error = import_text(core::to_json(*run), format).error();
    EXPECT_EQ(error.text, "it is a result of maxlat already, and needs no import");
    EXPECT_EQ(error.hint, "maxlat report, gate and compare take it");
  }
  EXPECT_THAT(import_text("{\"schema\":\"maxlat-result/9\"}", "").error().text, HasSubstr("already"));
  EXPECT_THAT(import_text("{\"schema\": \"other\"}", "").error().text, HasSubstr("no format that maxlat knows"));
}

}  // namespace
}  // namespace maxlat::importing
