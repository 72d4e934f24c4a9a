// SPDX-License-Identifier: MIT
//
// Aligned columns of plain text that keep within a width: the widest column of words gives way first, and what is cut
// ends in "..". Columns of numbers are never cut.
#pragma once

#include <climits>
#include <cstddef>
#include <string>
#include <vector>

namespace maxlat::core {

class TextTable {
 public:
  // A name that begins with '#' heads a column of numbers: to the right, never cut.
  explicit TextTable(std::vector<std::string> columns);
  void row(std::vector<std::string> cells);
  // For tables that stand below one another, or grow between two looks: columns from the first on, as wide as this even
  // if nothing in them is.
  void at_least(const std::vector<size_t>& widths);
  std::string text(unsigned width = UINT_MAX, const std::string& indent = "  ") const;

 private:
  std::vector<bool> number_;
  std::vector<size_t> at_least_;                // of each column
  std::vector<std::vector<std::string>> rows_;  // the first is the head
};

}  // namespace maxlat::core
