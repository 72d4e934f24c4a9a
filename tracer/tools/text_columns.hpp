// SPDX-License-Identifier: MIT
//
// Rows of text under each other: the first column to the left, the others, which are numbers, to the right.
#pragma once

#include <string>
#include <vector>

namespace maxlat::trace_tools {

class TextColumns {
 public:
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace maxlat::trace_tools
