// SPDX-License-Identifier: MIT
//
// The <head> of each of our pages: they look alike, and need nothing but themselves.
#pragma once

#include <string>

#include "html.hpp"

namespace maxlat::reports {

void page_head(Html& html, const std::string& title);

}  // namespace maxlat::reports
