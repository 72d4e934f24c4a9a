// SPDX-License-Identifier: MIT
//
// Aligned columns of plain text that keep within a width: the widest column of words gives way first, and what is cut
// ends in "..". Columns of numbers are never cut.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace maxlat::reports {

class TextTable {
 public:
  // A name that begins with '#' heads a column of numbers: to the right, never cut.
  explicit TextTable(std::vector<std::string> columns);
  void row(std::vector<std::string> cells);
  std::string text(unsigned width, const std::string& indent = "  ") const;

 private:
  std::vector<bool> number_;
  std::vector<std::vector<std::string>> rows_;  // the first is the head
};

// Characters a terminal shows: bytes that do not continue a UTF-8 sequence.
size_t shown_width(std::string_view text);
// At most `width` characters, the last two ".." when something was cut.
std::string cut_to(std::string_view text, size_t width);
// What a terminal must not be sent as it is (escape sequences in a name) becomes '?'.
std::string printable(std::string_view text);

}  // namespace maxlat::reports
