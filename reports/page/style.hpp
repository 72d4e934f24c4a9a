// SPDX-License-Identifier: MIT
//
// The page's style sheet: system fonts, two columns of plots or one, light and dark, screen and paper.
#pragma once

#include <string>

namespace maxlat::reports {

std::string style_sheet();

}  // namespace maxlat::reports
