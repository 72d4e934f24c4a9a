// SPDX-License-Identifier: MIT
#include "text_style.hpp"

#include <algorithm>
#include <cctype>

#include "text_table.hpp"

namespace maxlat::reports {

// Words wrapped to the width, with `first` before the first line and as many spaces before the others.
std::string wrapped(const std::string& text, const std::string& first, unsigned width) {
  const std::string shown = printable(text), indent(first.size(), ' ');
  std::string out, line = first;
  size_t begin = 0;
  while (begin < shown.size()) {
    const size_t end = std::min(shown.find(' ', begin), shown.size());
    const std::string word = shown.substr(begin, end - begin);
    const bool fresh = line.size() == indent.size();
    if (!fresh && shown_width(line) + 1 + shown_width(word) > width) {
      out += line + "\n";
      line = indent + word;
    } else {
      line += (fresh ? "" : " ") + word;
    }
    begin = end + 1;
  }
  return out + line + "\n";
}

std::string verdict_line(const core::RunResult& run, const TextStyle& style) {
  using Kind = core::Verdict::Kind;
  std::string word = core::to_string(run.verdict.kind);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return c == '-' ? ' ' : static_cast<char>(std::toupper(c)); });
  const char* code = run.verdict.kind == Kind::pass      ? "1;32"
                     : run.verdict.kind == Kind::fail    ? "1;31"
                     : run.verdict.kind == Kind::invalid ? "1;33"
                                                         : "1";
  return style.paint(code, "Verdict: " + word);
}

}  // namespace maxlat::reports
