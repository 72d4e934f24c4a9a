// SPDX-License-Identifier: MIT
//
// Words and numbers of a line, and errors that say in which line they are.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/import/input_text.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::importing {

// Takes the first word from the line; empty when there is none.
std::string_view take_word(std::string_view& line);
std::vector<std::string_view> words_of(std::string_view line);

// "Minimum:  1 2 (us)" is "Minimum" and "1 2 (us)", without blanks around them. Both empty where there is no colon.
struct Labelled {
  std::string_view label, rest;
};
Labelled labelled(std::string_view line);

// The number that follows `words` in the line; blanks may be between.
std::optional<uint64_t> number_after(std::string_view line, std::string_view words);

// A number as the tools print latencies and times: finite, and not negative.
std::optional<double> decimal_number(std::string_view word);

// A word as an error may show it: short, and nothing in it that a terminal would obey.
std::string in_quotes(std::string_view word);

// "line 12: 'x' is not a count", of the line that was read last.
core::Error in_line(const InputText& input, const std::string& why);

}  // namespace maxlat::importing
