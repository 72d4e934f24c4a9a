// SPDX-License-Identifier: MIT
#include "html.hpp"

#include <gtest/gtest.h>

namespace maxlat::reports {
namespace {

TEST(EscapeHtml, NothingBecomesMarkup) {
  EXPECT_EQ(escape_html("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escape_html("µs – 10⁹"), "µs – 10⁹");
  EXPECT_EQ(escape_html("a\tb\nc"), "a\tb\nc");
}

TEST(EscapeHtml, WhatIsNoTextIsReplaced) {
  EXPECT_EQ(escape_html(std::string_view("a\0b\x1b[31m\x7f", 9)), "a\ufffdb\ufffd[31m\ufffd");
  EXPECT_EQ(escape_html("\xff\xc3"), "\ufffd\ufffd");
  EXPECT_EQ(escape_html("\xc0\xaf"), "\ufffd\ufffd");                          // overlong
  EXPECT_EQ(escape_html("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");                // surrogate
  EXPECT_EQ(escape_html("\xf4\x90\x80\x80").find("\xf4"), std::string::npos);  // beyond U+10FFFF
}

TEST(HtmlTest, ElementsCloseInOrder) {
  Html html;
  {
    const auto outer = html.element("div", {{"class", "a"}, {"id", ""}, {"title", "\"x\""}});
    html.leaf("code", "1 < 2");
    html.text("&");
  }
  html.empty("meta", {{"charset", "utf-8"}});
  EXPECT_EQ(html.take(),
            "<div class=\"a\" title=\"&quot;x&quot;\"><code>1 &lt; 2</code>&amp;</div>\n<meta charset=\"utf-8\">\n");
}

}  // namespace
}  // namespace maxlat::reports
