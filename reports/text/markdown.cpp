// SPDX-License-Identifier: MIT
#include "markdown.hpp"

#include <maxlat/core/sys/text.hpp>

namespace maxlat::reports {
namespace {

constexpr std::string_view kMarkup = "\\`*_{}[]<>#|~&!@";  // @: nobody is called by a report

std::string table_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

}  // namespace

// An entity, not a backslash: GitHub looks for @names behind a backslash, too.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : core::printable(text)) {
    if (kMarkup.find(c) == std::string_view::npos)
      out += c;
    else
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
  }
  return out;
}

std::string markdown_table(const std::vector<std::string>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> heads, rules;
  for (const std::string& column : columns) {
    const bool number = column.starts_with('#');
    heads.push_back(markdown_text(number ? column.substr(1) : column));
    rules.push_back(number ? "---:" : "---");
  }
  std::string table = table_row(heads) + table_row(rules);
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(markdown_text(cell));
    table += table_row(cells);
  }
  return table;
}

}  // namespace maxlat::reports
