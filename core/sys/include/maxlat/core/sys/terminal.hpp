// SPDX-License-Identifier: MIT
//
// How wide a terminal is, for tables and lines that must not wrap.
#pragma once

#include <cstddef>
#include <optional>

namespace maxlat::core {

// Of what is no terminal: files, pipes, pages.
inline constexpr std::size_t kScreenWidth = 100;

// RETURNS: nothing for what is no terminal, or one that does not tell.
std::optional<std::size_t> terminal_width(int descriptor);

}  // namespace maxlat::core
