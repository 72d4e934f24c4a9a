// SPDX-License-Identifier: MIT
//
// Aligned columns of plain text that keep within a width: the widest column of words gives way first, and what is cut
// ends in "..". Columns of numbers are never cut.
#pragma once

#include <climits>
#include <string>
#include <vector>

namespace maxlat::core {

class TextTable {
 public:
  // A name that begins with '#' heads a column of numbers: to the right, never cut.
  explicit TextTable(std::vector<std::string> columns);
  void row(std::vector<std::string> cells);
  std::string text(unsigned width = UINT_MAX, const std::string& indent = "  ") const;

 private:
  std::vector<bool> number_;
  std::vector<std::vector<std::string>> rows_;  // the first is the head
};

}  // namespace maxlat::core
