// SPDX-License-Identifier: MIT
//
// What a command tells whoever looks on: progress, warnings, errors, on standard error. Nothing depends on it, least of
// all a measurement: where it cannot be written (a full disk, a terminal that was closed) it is lost, and no more.
// (fmt::print(stderr, ...) throws then, and a run of a day ended with it.) What was asked for is standard output, and a
// write that fails there is an error.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace maxlat::core {

// As it is, with its own line ends, and at once.
void tell_text(std::string_view text) noexcept;

template <class... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  tell_text(fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace maxlat::core
