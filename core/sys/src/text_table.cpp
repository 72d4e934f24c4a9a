// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>
#include <numeric>

namespace maxlat::core {
namespace {

constexpr size_t kNarrowestColumn = 8;  // of a column of words
constexpr size_t kGap = 2;

std::string padded(const std::string& cell, size_t width, bool right) {
  const std::string text = cut_to(cell, width);
  const std::string space(width - std::min(width, shown_width(text)), ' ');
  return right ? space + text : text + space;
}

}  // namespace

TextTable::TextTable(std::vector<std::string> columns) {
  for (auto& column : columns) {
    number_.push_back(column.starts_with('#'));
    if (number_.back()) column.erase(0, 1);
  }
  at_least_.resize(columns.size());
  rows_.push_back(std::move(columns));
}

void TextTable::row(std::vector<std::string> cells) {
  for (auto& cell : cells) cell = printable(cell);
  cells.resize(number_.size());
  rows_.push_back(std::move(cells));
}

void TextTable::at_least(const std::vector<size_t>& widths) {
  for (size_t i = 0; i < std::min(widths.size(), at_least_.size()); ++i) at_least_[i] = widths[i];
}

std::string TextTable::text(unsigned width, const std::string& indent) const {
  std::vector<size_t> widths = at_least_;
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], shown_width(row[i]));
  }
  const size_t fixed = indent.size() + kGap * (widths.size() - 1);
  for (size_t total = std::accumulate(widths.begin(), widths.end(), fixed); total > width; --total) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (!number_[i] && widths[i] > kNarrowestColumn && (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (size_t i = 0; i < row.size(); ++i)
      line += (i > 0 ? std::string(kGap, ' ') : "") + padded(row[i], widths[i], number_[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace maxlat::core
