// SPDX-License-Identifier: MIT
// libFuzzer's target: a result.json with something changed, and read. It must not crash, read out of bounds, hang or
// throw; an error is one line; and what was read can be written, and is the same when it is read back.
//
// INPUT: { u8 example }, then changes of 5 bytes, { u8 what, u16 place, u16 more }. Example 255: all that follows, as
// it is. An example has one phase of the example run, or all of it: most inputs shall be short, for each is read,
// written, and read again.
#include <cstdint>
#include <iterator>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/test/fuzz_text.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "test_run.hpp"

namespace {

using namespace maxlat;

constexpr std::string_view kValues[] = {
    "-1",   "0",    "-0.0",        "1e308", "1e-308", "1e999",     "18446744073709551615",
    "1e19", "null", "true",        "\"\"",  "[]",     "{}",        "18446744073709551616",
    "[[",   "NaN",  "\"\\ud800\"", "\"x\"", "0.5",    "4294967296"};
constexpr std::string_view kSyntax = "{}[],:\" \n\\\xff-.e9";

// From a place on, the next number or the next text in quotes.
void change_value(std::string& text, size_t place, size_t more) {
  const std::string_view value = kValues[more % std::size(kValues)];
  if (more / std::size(kValues) % 2 == 0) {
    const size_t begin = text.find_first_of("0123456789", place);
    if (begin == std::string::npos) return;
    text.replace(begin, text.find_first_not_of("0123456789.e+-", begin) - begin, value);
  } else {
    const size_t begin = text.find('"', place), end = begin == text.npos ? begin : text.find('"', begin + 1);
    if (end == std::string::npos) return;
    text.replace(begin, end + 1 - begin, value);
  }
}

void change(std::string& text, uint8_t what, size_t place, size_t more) {
  constexpr size_t kLongest = 1 << 20;  // a line that is doubled again and again fills the memory, and says nothing
  if (text.empty() || text.size() > kLongest) return;
  place %= text.size();
  switch (what % 6) {
    case 0:
      text[place] = kSyntax[more % kSyntax.size()];
      break;
    case 1:
      text.erase(place, more % 64);
      break;
    case 2:
      change_value(text, place, more);
      break;
    case 3: {  // a line twice, elsewhere: a key that is there again, or where it does not belong
      const size_t begin = text.rfind('\n', place), from = begin == text.npos ? 0 : begin;
      const std::string line = text.substr(from, text.find('\n', from + 1) - from);
      const size_t at = text.find('\n', more % text.size());
      text.insert(at == text.npos ? text.size() : at, line);
      break;
    }
    case 4: {  // a line less
      const size_t begin = text.find('\n', place);
      if (begin != text.npos) text.erase(begin, text.find('\n', begin + 1) - begin);
      break;
    }
    default:
      if (more % 8 == 0) text.resize(place);
      break;
  }
}

std::vector<std::string> examples() {
  const core::RunResult whole = core::example_run();
  std::vector<std::string> texts{core::to_json(whole)};
  for (const core::Phase& phase : whole.phases) {
    core::RunResult run = whole;
    run.machine.clear();
    run.preflight.clear();
    run.comparisons.clear();
    run.phases = {phase};
    texts.push_back(core::to_json(run));
  }
  return texts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const std::vector<std::string> texts = examples();
  if (size == 0) return 0;
  const std::string text = test::changed_example(texts, bytes[0], {bytes + 1, size - 1}, change);
  const auto run = core::from_json(text);
  if (!run) {
    test::must_be_one_line(run.error().text);
    return 0;
  }
  const std::string first = core::to_json(*run);
  const auto again = core::from_json(first);
  if (!again) test::fuzz_failed("not read back", again.error().text);
  const std::string second = core::to_json(*again);
  if (second == first) return 0;
  // Figures are rounded once, on writing: from then on they stay as they are.
  const auto third = core::from_json(second);
  if (!third || core::to_json(*third) != second) test::fuzz_failed("read back as another", second);
  return 0;
}
