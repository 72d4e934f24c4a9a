// SPDX-License-Identifier: MIT
#include "escape.hpp"

#include <gtest/gtest.h>

namespace maxlat::trace_tools {
namespace {

TEST(Escape, LeavesNothingThatATerminalWouldObey) {
  EXPECT_EQ(c_escaped("plain text"), "plain text");
  EXPECT_EQ(c_escaped("\x1b[2J\x07\n\"\\\x7f"), "\\x1b[2J\\x07\\n\\\"\\\\\\x7f");
  EXPECT_EQ(c_escaped("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(c_escaped("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(c_escaped("\xc2\x9b\xc2\xa0"), "\\xc2\\x9b\xc2\xa0");  // what some terminals take for ESC [
  EXPECT_EQ(json_escaped("\xc2\x9b"), "\xc2\x9b");
  EXPECT_EQ(c_escaped("\xe2\x82"), "\\xe2\\x82");  // the first two bytes of three
}

TEST(Escape, GivesJsonWhateverTheBytes) {
  EXPECT_EQ(json_escaped("a\"\\\n\x1f\xc3\xa4"), "a\\\"\\\\\\n\\u001f\xc3\xa4");
  EXPECT_EQ(json_escaped("\xff"), "\\ufffd");
}

TEST(Escape, LeavesNothingThatAStrictDecoderRefuses) {
  for (const char* whole : {"\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(json_escaped(whole), whole);
  }
  for (const char* none : {"\xe0\x9f\xbf", "\xed\xa0\x80"}) EXPECT_EQ(json_escaped(none), "\\ufffd\\ufffd\\ufffd");
  for (const char* none : {"\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(json_escaped(none), "\\ufffd\\ufffd\\ufffd\\ufffd");
  }
}

TEST(Escape, PlainIsWhatNeitherChanges) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(is_plain(text), c_escaped(text) == text && json_escaped(text) == text) << byte;
  }
}

}  // namespace
}  // namespace maxlat::trace_tools
