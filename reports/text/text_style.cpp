// SPDX-License-Identifier: MIT
#include "text_style.hpp"

#include <algorithm>
#include <cctype>

namespace maxlat::reports {

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
