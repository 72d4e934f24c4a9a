// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace maxlat::core {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Text, IsWrappedAtWords) {
  EXPECT_EQ(wrapped("aa bb cc", 7, "- ", "  "), "- aa bb\n  cc\n");
  EXPECT_EQ(wrapped("averylongword b", 7, "- ", "  "), "- averylongword\n  b\n");
  EXPECT_EQ(wrapped("", 7, "- ", "  "), "- \n");
  EXPECT_EQ(wrapped("one  two\nthree", 9, "  fix: "), "  fix: one\n       two\n       three\n");
  EXPECT_EQ(wrapped("\xc2\xb5\xc2\xb5 \xc2\xb5", 4, ""), "\xc2\xb5\xc2\xb5 \xc2\xb5\n");
}

TEST(Text, ALineOfAListHasAColumnOfNamesAndNeverLessThanABlank) {
  EXPECT_EQ(list_line("npt", "the latency loop"), "npt         the latency loop\n");
  EXPECT_EQ(list_line("\xc2\xb5s", "of time", 4), "\xc2\xb5s  of time\n");
  EXPECT_EQ(list_line("a-very-long-name", "of a plan"), "a-very-long-name of a plan\n");
  EXPECT_EQ(list_line("twelve-of-12", "and then one more"), "twelve-of-12 and then one more\n");
}

TEST(Text, KnowsTheCharactersOfUtf8) {
  EXPECT_EQ(utf8_length("a"), 1u);
  EXPECT_EQ(utf8_length("\xc2\xb5s"), 2u);
  EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3u);
  EXPECT_EQ(utf8_length("\xf0\x9f\x98\x80"), 4u);
  for (const char* none : {"\x80", "\xc0\x80", "\xc2", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
    EXPECT_EQ(utf8_length(none), 0u) << none;
}

TEST(Table, AlignsAndCutsWordsOnly) {
  TextTable table({"name", "#value"});
  table.row({"a rather long name of a phase", "123456789"});
  table.row({"b", "1"});
  const auto lines = lines_of(table.text(30));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], "  a rather long n..  123456789");
  EXPECT_EQ(lines[2], "  b                          1");
}

TEST(TextTable, AColumnIsAsWideAsItIsToldAtTheLeast) {
  TextTable table({"", "#value", "words"});
  table.at_least({3, 8});
  table.row({"b", "1", "x"});
  table.row({"longer", "123456789", "y"});
  EXPECT_EQ(table.text(UINT_MAX, ""),
            "            value  words\n"
            "b               1  x\n"
            "longer  123456789  y\n");
  TextTable narrow({"", "#value", "words"});
  narrow.at_least({3, 8});
  narrow.row({"b", "1", "x"});
  EXPECT_EQ(narrow.text(UINT_MAX, ""),
            "        value  words\n"
            "b           1  x\n");
}

TEST(Text, CountsCharactersNotBytes) {
  EXPECT_EQ(shown_width("µs"), 2u);
  EXPECT_EQ(cut_to("µµµµµ", 4), "µµ..");
  EXPECT_EQ(cut_to("abc", 3), "abc");
}

TEST(Text, SendsNoEscapeSequenceOn) {
  EXPECT_EQ(printable("a\033[2Jb"), "a?[2Jb");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb"),
            "a?2Jb")
      << "the same in a letter of two bytes";
  EXPECT_EQ(printable("gr\xc3\xb6\xc3\x9f"
                      "e\xc2\xa0\xff"),
            "gr\xc3\xb6\xc3\x9f"
            "e\xc2\xa0?")
      << "bytes that are no letter";
}

}  // namespace
}  // namespace maxlat::core
