// SPDX-License-Identifier: MIT
// libFuzzer's target: a result.json with something changed, and read. It must not crash, read out of bounds, hang or
// throw; an error is one line; and what was read can be written, and is the same when it is read back.
//
// INPUT: { u8 example }, then changes of 5 bytes, { u8 what, u16 place, u16 more }. Example 255: all that follows, as
// it is. An example is the whole example run or one part of it: most inputs shall be short, for each is read, written,
// and read again.
#include <cstdint>
#include <iterator>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/test/fuzz_result.hpp>
#include <maxlat/test/fuzz_text.hpp>
#include <string>
#include <string_view>
#include <utility>
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

// The lists of a phase, each of which makes an example.
using Part = void (*)(core::Phase& to, const core::Phase& from);
constexpr Part kParts[] = {
    [](core::Phase& to, const core::Phase& from) {
      to.per_cpu = {from.per_cpu.begin(), from.per_cpu.begin() + (from.per_cpu.empty() ? 0 : 1)};
    },
    [](core::Phase& to, const core::Phase& from) {
      to.per_cpu = {from.per_cpu.begin() + (from.per_cpu.empty() ? 0 : 1), from.per_cpu.end()};
      to.paths = from.paths;
      to.events = from.events;
    },
    [](core::Phase& to, const core::Phase& from) { to.load = from.load; },
    [](core::Phase& to, const core::Phase& from) { to.control = from.control; },
    [](core::Phase& to, const core::Phase& from) { to.activity = from.activity; },
    [](core::Phase& to, const core::Phase& from) { to.interference = from.interference; },
    [](core::Phase& to, const core::Phase& from) { to.pairs = from.pairs; },
    [](core::Phase& to, const core::Phase& from) { to.kernel_messages = from.kernel_messages; },
};

core::RunResult run_of(std::vector<core::Phase> phases) {
  core::RunResult run;
  run.id = run.tool = "x";
  run.phases = std::move(phases);
  return run;
}

// A run with nothing else in it than one part of the phase. Its status is one that a phase without samples may have.
core::RunResult run_of_part(const core::Phase& phase, Part part) {
  core::Phase small;
  small.name = phase.name;
  small.kind = phase.kind;
  small.status = core::PhaseStatus::invalid;
  small.reason = "x";
  part(small, phase);
  for (const core::CpuResult& cpu : small.per_cpu) small.exposure_s += cpu.exposure_s;
  return run_of({small});
}

std::vector<std::string> examples() {
  const core::RunResult whole = core::example_run();
  std::vector<core::RunResult> runs{whole};
  core::RunResult around = whole;
  around.phases.clear();
  around.comparisons.clear();
  around.state = core::RunResult::State::running;
  runs.push_back(around);
  for (const core::Phase& phase : whole.phases) {
    if (phase.per_cpu.size() < 2)
      runs.push_back(run_of({phase}));
    else
      for (const Part part : kParts) runs.push_back(run_of_part(phase, part));
  }
  std::vector<core::Phase> arms;
  for (const core::Phase& phase : whole.phases)
    if (!phase.comparison.empty()) arms.push_back(phase);
  runs.push_back(run_of(arms));
  runs.back().comparisons = whole.comparisons;

  std::vector<std::string> texts;
  for (const core::RunResult& run : runs) {
    texts.push_back(core::to_json(run));
    if (const auto sound = core::from_json(texts.back()); !sound) test::fuzz_failed("no example", sound.error().text);
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
  (void)test::must_be_read_back(*run);
  return 0;
}
