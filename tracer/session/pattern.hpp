// SPDX-License-Identifier: MIT
//
// Names with wildcards: `*` is any number of characters, `?` is one.
#pragma once

#include <string_view>

namespace maxlat::trace::detail {

// COST: at most the product of the two lengths; no recursion.
bool matches(std::string_view pattern, std::string_view name);

// The names of sessions and channels, as the control protocol can carry them.
bool is_name(std::string_view text);
inline constexpr const char* kNameHint = "[A-Za-z0-9_.:-]+, no dot in front, below 64 characters";
// A pattern of events: the same with * and ?.
bool is_pattern(std::string_view text);

}  // namespace maxlat::trace::detail
