// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/sys/toml_reader.hpp>
#include <string>

namespace maxlat::core {
namespace {

using ::testing::StartsWith;

Result<std::string> name_in(const std::string& text) {
  return read_toml(text, "f.toml", "hint",
                   [](const toml::table& table) { return table["name"].value_or(std::string()); });
}

TEST(TomlReader, TakesAnyLetterInQuotesAndComments) {
  for (const std::string quoted :
       {R"("caf\u00e9 é")", R"("a \" é")", "'é \\'", "\"\"\"\né \" \"\" é\\\"\n\"\"\"", "'''é\n' é'''"}) {
    const auto name = name_in("\xef\xbb\xbf# é\nname = " + quoted + " # é");
    ASSERT_TRUE(name) << quoted << ": " << name.error().text;
    EXPECT_NE(name->find("é"), std::string::npos) << quoted;
  }
}

// As in "x = é", where toml++ has undefined behaviour.
TEST(TomlReader, RefusesAnyOtherLetterElsewhere) {
  for (const std::string text :
       {"x = 1\né = 2", "x = 1\ny = é", "x = 1\n\xcc\xcc\n", "x = 1\n y = \xc2\xa0 2", "x = '''\n''' é",
        "x = \"a\\\\\"\n é", "x = '''\na'''' é", "x = \"\"\"\na\"\"\"\"\" é"}) {
    const auto name = name_in(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().text, "f.toml:2: a letter that is not ASCII, outside quotes") << text;
  }
}

// Found by fuzzing: in a text of several lines blanks may be behind it, and where it ends a line, in front of the next.
TEST(TomlReader, RefusesAnyOtherLetterBehindABackslash) {
  for (const std::string text :
       {"x = \"\"\"\n\\é\"\"\"", "\nx = \"\\é\"", "\nx = \"\\\\\\\xcc\"", "x = \"\"\"a\\\né\"\"\"",
        "x = \"\"\"a\\ \t\r\n \t é\"\"\"", "\nx = \"\"\"\\ é\"\"\""}) {
    const auto name = name_in(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().text, "f.toml:2: a letter that is not ASCII, behind a backslash") << text;
  }
  EXPECT_TRUE(name_in("x = \"\\\\é\"\ny = '\\é'"));
  EXPECT_TRUE(name_in("x = \"\"\"a\\\n  b é\\\\\né\"\"\"\ny = '''\\\n é'''"));
}

// Found by fuzzing: toml++ reads a number up to a blank, over quotes, too.
TEST(TomlReader, RefusesQuotesAndBracketsInAWord) {
  for (const std::string text :
       {"\nx = 0'é'", "\nx = 0.'é'", "x = [1,\n 1.'é']", "\nx = {a = 1.'é'}", "\nx = {a = 'b''é'}",
        "\nx = [{'a'.'é' = 0'é'}]", "\nx'é' = 1", "\n['a''é']", "x = [[], {},\n0'é']"}) {
    const auto name = name_in(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().text, "f.toml:2: a quote in a word") << text;
  }
  for (const std::string text : {"\nx = 0['é']", "\nx = 0{'é' = 1}"})
    EXPECT_EQ(name_in(text).error().text, "f.toml:2: a bracket in a word") << text;
  for (const std::string text : {"\nx = 0='é'", "\nx = {a = 1 = 'é'}"})
    EXPECT_EQ(name_in(text).error().text, "f.toml:2: a second \"=\"") << text;
}

TEST(TomlReader, TakesQuotesWhereverTheyMayBe) {
  for (const std::string text :
       {"x='é'", "'é'.'é'='é' # 'é", "['é'.\"é\" . 'é']\na=1", "[['é']]\n'é' = 1", "x=['é',\"é\"\n,'é'\n]",
        "x={'é'='é','a'.'é'={'é'=1}}", "x=[{a='é'}\n,{'é'=[1,'é']}]\n'é'=1", "x=1979-05-27 07:32:00 # 'é'",
        "x=[[1.5,'é'],[\"\"\"é\"\"\"\",'''é''']]", "\xef\xbb\xbf'é'=1", "x='é'\r\ny=[ # 'é\r\n'é']\r\n"}) {
    const auto name = name_in(text + "\n");
    EXPECT_TRUE(name) << text << ": " << (name ? "" : name.error().text);
  }
}

TEST(TomlReader, WhatHasNoEndIsToldInALine) {
  for (const std::string text : {"x = \"é", "x = 'é", "x = \"\"\"é\n", "x = '''é", "x = \"é\\"}) {
    const auto name = name_in(text);
    ASSERT_FALSE(name) << text;
    EXPECT_THAT(name.error().text, StartsWith("f.toml:")) << text;
    EXPECT_EQ(name.error().text.find('\n'), std::string::npos) << text;
  }
}

// Found by fuzzing: a megabyte of "a.a.a" made toml++ a table in a table, and freed them by so many calls in each other
// that the stack was full.
TEST(TomlReader, AKeyOfVeryManyNamesIsRefused) {
  std::string names, quoted;
  for (int i = 0; i < 500'000; ++i) names += "a.", quoted += "'a'. ";
  for (const std::string& text : {"x = 1\n" + names + "a = 1", "x = 1\n[" + names + "a]", "\nx = {" + quoted + "a = 1}",
                                  "# a.a.a\n[[ " + names + "a ]]", "\n" + names}) {
    const auto name = name_in(text);
    ASSERT_FALSE(name) << text.substr(0, 20);
    EXPECT_EQ(name.error().text, "f.toml:2: more than 64 names in a key") << text.substr(0, 20);
  }
}

TEST(TomlReader, ManyDotsElsewhereAreTaken) {
  std::string numbers, dots(100, '.');
  for (int i = 0; i < 100; ++i) numbers += "1.5,";
  const auto name = name_in("x = [" + numbers + "]\n# " + dots + "\nname = \"" + dots + "\"\na" + ".a" + " = 1.5");
  ASSERT_TRUE(name) << name.error().text;
  EXPECT_EQ(*name, dots);
}

// Found by fuzzing: each step looked through all quotes behind it, so that a megabyte of them took minutes. With that
// defect this test ends by its time limit.
TEST(TomlReader, QuotesAreReadOnceHoweverMany) {
  EXPECT_FALSE(name_in("x = " + std::string(size_t{4} << 20, '\'')));
}

}  // namespace
}  // namespace maxlat::core
