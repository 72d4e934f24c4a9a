// SPDX-License-Identifier: MIT
// libFuzzer's target: a file of some format, changed, and imported. It must not crash, read out of bounds, hang or
// throw; an error is one line; and what is a run is valid, can be written, and has the same counts when it is read
// back.
//
// INPUT: { u8 example, u8 unit }, then changes of 5 bytes, { u8 what, u16 place, u16 more }; so that every input, also
// of the driver that stands in for libFuzzer, gets past the first line. Example 255 is the rest of the input as it is.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <maxlat/import/import_definition.hpp>
#include <maxlat/test/fuzz_result.hpp>
#include <maxlat/test/fuzz_text.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace maxlat;

constexpr std::string_view kWords[] = {"-1",
                                       "nan",
                                       "1e308",
                                       "18446744073709551615",
                                       "4294967296",
                                       "0",
                                       "\n",
                                       "999999999999999999999",
                                       "\"",
                                       "{",
                                       "}",
                                       "<",
                                       "&a;",
                                       ":",
                                       ",",
                                       " ",
                                       "# ",
                                       "\xff",
                                       "~ 2^64",
                                       "65536",
                                       "<core id=\"7\">",
                                       "<cyclictest>",
                                       "<timerlat>"};

std::vector<std::string> read_examples() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(MAXLAT_TESTDATA)) {
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

void change(std::string& text, uint8_t what, size_t place, size_t more) {
  constexpr size_t kLongest = 1 << 20;  // a line that is doubled again and again fills the memory, and says nothing
  if (text.empty() || text.size() > kLongest) return;
  place %= text.size();
  switch (what % 6) {
    case 0:
      text[place] = static_cast<char>(more);
      break;
    case 1:
      text.erase(place, more % 64);
      break;
    case 2:
      text.insert(place, kWords[more % std::size(kWords)]);
      break;
    case 3: {  // in the place of a word
      const size_t begin = text.find_first_of("0123456789", place);
      if (begin == text.npos) break;
      text.replace(begin, text.find_first_not_of("0123456789.", begin) - begin, kWords[more % std::size(kWords)]);
      break;
    }
    case 4: {  // a line twice, elsewhere
      const std::string line = text.substr(place, text.find('\n', place) - place);
      text.insert(more % text.size(), line);
      break;
    }
    default:
      if (more % 8 == 0) text.resize(place);
      break;
  }
}

// What is exact in a result: of each CPU its number, its samples and those beyond the bins.
std::vector<uint64_t> counts_of(const core::RunResult& run) {
  std::vector<uint64_t> counts;
  for (const core::Phase& phase : run.phases)
    for (const core::CpuResult& cpu : phase.per_cpu)
      counts.insert(counts.end(), {cpu.cpu, cpu.samples, cpu.overflow_count, cpu.bins.size()});
  return counts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const std::vector<std::string> examples = read_examples();
  if (size < 2 || examples.empty()) return 0;
  const std::string text = test::changed_example(examples, bytes[0], {bytes + 2, size - 2}, change);
  importing::InputText input(text);
  const auto run = importing::import_run(input, {.unit_ns = bytes[1] % 2 == 0 ? 0.0 : 1000.0});
  if (!run) {
    test::must_be_one_line(run.error().text);
    return 0;
  }
  if (counts_of(test::must_be_read_back(*run)) != counts_of(*run))
    test::fuzz_failed("read back with other counts", core::to_json(*run));
  return 0;
}
