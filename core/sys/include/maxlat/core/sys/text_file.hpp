// SPDX-License-Identifier: MIT
//
// Small files of /proc and /sys, whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace maxlat::core {

// The content as it is, and the content without white space at either end; nothing when it cannot be opened or read.
std::optional<std::string> read_file(const std::string& path);
std::optional<std::string> read_text(const std::string& path);
std::string_view trimmed(std::string_view text);

}  // namespace maxlat::core
