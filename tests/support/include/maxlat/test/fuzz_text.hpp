// SPDX-License-Identifier: MIT
//
// What fuzz targets of texts share: an input is the number of an example and changes to it, so that every input, also
// of the driver that stands in for libFuzzer, gets past the first line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::test {

inline constexpr uint8_t kAsItIs = 255;

// `changes`: of 5 bytes each, { u8 what, u16 place, u16 more }, for change(text, what, place, more). For the example
// kAsItIs they are the text themselves. REQUIRES: an example.
template <typename Change>
std::string changed_example(const std::vector<std::string>& examples, uint8_t example, std::span<const uint8_t> changes,
                            const Change& change) {
  if (example == kAsItIs) return {changes.begin(), changes.end()};
  std::string text = examples[example % examples.size()];
  const auto word = [&](size_t at) { return static_cast<size_t>(changes[at] | changes[at + 1] << 8); };
  for (size_t at = 0; at + 5 <= changes.size(); at += 5) change(text, changes[at], word(at + 1), word(at + 3));
  return text;
}

[[noreturn]] inline void fuzz_failed(const char* what, std::string_view text) {
  std::fprintf(stderr, "%s: %.*s\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}

inline void must_be_one_line(std::string_view error) {
  if (error.empty() || error.find('\n') != error.npos) fuzz_failed("no line", error);
}

}  // namespace maxlat::test
