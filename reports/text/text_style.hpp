// SPDX-License-Identifier: MIT
//
// What the summaries for a terminal share: width, colour, the line of the verdict.
#pragma once

#include <fmt/format.h>

#include <maxlat/core/result/run_result.hpp>
#include <string>

namespace maxlat::reports {

struct TextStyle {
  unsigned width;
  bool colour;
  std::string paint(const char* code, const std::string& text) const {
    return colour ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }
};

inline constexpr unsigned kNarrowest = 40;

// "Verdict: NOT GATED", without a line end.
std::string verdict_line(const core::RunResult& run, const TextStyle& style);

}  // namespace maxlat::reports
