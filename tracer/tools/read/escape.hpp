// SPDX-License-Identifier: MIT
//
// Text of a traced program, as it may be shown: it can hold anything.
#pragma once

#include <string>
#include <string_view>

namespace maxlat::trace_tools {

// As C writes it between quotes: \n, \", \\, \x1b. UTF-8 stays, bytes that are none become \xff.
std::string c_escaped(std::string_view text);
// As JSON writes it between quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_escaped(std::string_view text);
// With the quotes.
std::string quoted_json(std::string_view text);
// Whether both would be the text itself.
bool is_plain(std::string_view text);

}  // namespace maxlat::trace_tools
