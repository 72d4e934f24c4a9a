// SPDX-License-Identifier: MIT
//
// The page's script: the value under the pointer, and a switch from a logarithmic scale to a linear one. It makes its
// own buttons and lines of text, so that without it, and on paper, nothing is missing. The page allows this script by
// its hash and no other.
#pragma once

#include <string_view>

namespace maxlat::reports {

std::string_view page_script();
// "sha256-...", of exactly page_script().
std::string_view page_script_hash();

}  // namespace maxlat::reports
