// SPDX-License-Identifier: MIT
#include "check_table.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace maxlat::rteval_ext {
namespace {

using Judgement = core::SettingObservation::Verdict;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<core::SettingObservation> some_rows() {
  return {
      {Judgement::bad, "governor", "cpu",
       "performance (CPU 2), powersave (CPU 3), and then some more text that is long", "performance",
       "it changes the clock", "cpupower"},
      {Judgement::ok, "turbo", "cpu", "off", "off", "the boost", "no_turbo"},
      {Judgement::unknown, "kernel tracers", "kernel", "unknown (tracefs)", "none", "they cost", "echo nop"},
      {Judgement::info, "load average", "environment", "0.1", "", "what ran", ""},
  };
}

TEST(CheckTable, EveryRowInItsGroupWithItsVerdict) {
  const std::string text = check_table(some_rows(), {});
  EXPECT_THAT(text,
              testing::MatchesRegex("(.|\n)*\ncpu\n  governor .* performance .* bad\n  turbo .* off .* ok\nkernel\n"
                                    "  kernel tracers  *tracefs .* unknown\nenvironment\n  load average .* -\n"));
}

TEST(CheckTable, LinesKeepTheWidth) {
  for (const size_t width : {size_t{80}, size_t{100}, size_t{160}}) {
    std::istringstream lines(check_table(some_rows(), {.width = width}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
  EXPECT_THAT(check_table(some_rows(), {.width = 100}), HasSubstr("..."));
}

// A long value took the other columns' room, and they ran together.
TEST(CheckTable, VerboseWrapsWithinTheColumns) {
  auto rows = some_rows();
  rows[1].observed = std::string(70, 'x') + "end";
  rows[1].expected = "words enough for two lines of the column of what is expected";
  const std::string text = check_table(rows, {.width = 100, .verbose = true});
  EXPECT_THAT(text, Not(HasSubstr("...")));
  std::istringstream lines(text);
  std::string observed;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    line.resize(100, ' ');
    for (const size_t gap : {24u, 25u, 61u, 62u, 91u, 92u}) EXPECT_EQ(line[gap], ' ') << gap << ": " << line;
    observed += line.substr(26, 35) + " ";
  }
  for (const char* word : {"some", "more", "text", "that", "is", "long", "end "})
    EXPECT_THAT(observed, HasSubstr(word));
}

TEST(CheckTable, ColourOnlyWhereAsked) {
  EXPECT_THAT(check_table(some_rows(), {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(check_table(some_rows(), {.colour = true}), HasSubstr("\x1b"));
}

TEST(CheckTable, ReasonsOfTheBadRows) {
  const std::string text = check_reasons(some_rows(), {});
  EXPECT_THAT(text, HasSubstr("  why  it changes the clock\n  fix  cpupower\n"));
  EXPECT_THAT(text, Not(HasSubstr("the boost")));
  EXPECT_THAT(text, Not(HasSubstr("they cost")));
  EXPECT_THAT(text, testing::EndsWith("\nnot known:\n  kernel tracers: tracefs\n"));
  EXPECT_THAT(check_reasons(some_rows(), {.verbose = true}), HasSubstr("they cost"));
}

TEST(CheckTable, Counts) {
  EXPECT_EQ(check_summary(count(some_rows())), "4 settings: 1 ok, 1 bad, 1 unknown, 1 for information");
  EXPECT_EQ(check_summary(count({})), "0 settings: 0 ok, 0 bad, 0 unknown, 0 for information");
}

// "Not known" is never "passed".
TEST(CheckTable, StrictExitStatus) {
  EXPECT_EQ(strict_exit({.ok = 3, .bad = 1, .unknown = 1}), core::Exit::limit_exceeded);
  EXPECT_EQ(strict_exit({.ok = 3, .unknown = 1}), core::Exit::invalid);
  EXPECT_EQ(strict_exit({.ok = 3, .info = 1}), core::Exit::pass);
}

}  // namespace
}  // namespace maxlat::rteval_ext
