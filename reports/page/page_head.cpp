// SPDX-License-Identifier: MIT
#include "page_head.hpp"

#include <fmt/format.h>

#include "script.hpp"
#include "style.hpp"

namespace maxlat::reports {

void page_head(Html& html, const std::string& title) {
  const auto guard = html.element("head");
  html.empty("meta", {{"charset", "utf-8"}});
  html.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  // The page needs nothing but itself, and this makes the browser hold it to that: no other script either.
  html.empty(
      "meta",
      {{"http-equiv", "Content-Security-Policy"},
       {"content", fmt::format("default-src 'none'; style-src 'unsafe-inline'; script-src '{}'", page_script_hash())}});
  html.leaf("title", title);
  const auto style = html.element("style");
  html.trusted(style_sheet());
}

void page_tail(Html& html) {
  html.trusted("<script>");
  html.trusted(page_script());
  html.trusted("</script>\n");
}

}  // namespace maxlat::reports
