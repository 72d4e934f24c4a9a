// SPDX-License-Identifier: MIT
#include "page_head.hpp"

#include "style.hpp"

namespace maxlat::reports {

void page_head(Html& html, const std::string& title) {
  const auto guard = html.element("head");
  html.empty("meta", {{"charset", "utf-8"}});
  html.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  // The page needs nothing but itself, and this makes the browser hold it to that.
  html.empty("meta",
             {{"http-equiv", "Content-Security-Policy"}, {"content", "default-src 'none'; style-src 'unsafe-inline'"}});
  html.leaf("title", title);
  const auto style = html.element("style");
  html.trusted(style_sheet());
}

}  // namespace maxlat::reports
