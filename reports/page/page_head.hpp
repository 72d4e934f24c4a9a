// SPDX-License-Identifier: MIT
//
// What each of our pages begins and ends with: they look alike, and need nothing but themselves.
#pragma once

#include <string>

#include "html.hpp"

namespace maxlat::reports {

// Title, style sheet, and what the browser must not do: the same for every page of ours.
void page_head(Html& html, const std::string& title);
// The script, at the end of the body.
void page_tail(Html& html);

}  // namespace maxlat::reports
