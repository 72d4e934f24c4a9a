// SPDX-License-Identifier: MIT
// libFuzzer's target: a gate file with something changed, read, and a small run judged by it. It must not crash, hang
// or throw; an error is one line with its place; and no gate that was read passes a run without a rule.
//
// INPUT: changes of 4 bytes, { u8 what, u16 place, u8 more }.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <maxlat/reports/gate.hpp>
#include <string>
#include <string_view>

#include "../test/test_runs.hpp"

namespace {

using namespace maxlat;

constexpr std::string_view kGate = R"(name = "box"
folder = "/srv"
[[limits]]
phase = "npt"
max = "100us"
"p99.99_ns" = 50000
above_50us_per_h = 12.5
load_alive = true
[limits.soft]
mean = "1us"
cpus_over = 0.05
[[limits]]
"setting governor" = true
hardware_max = "1us"
[[waiver]]
phase = "npt"
limit = "max"
reason = "ticket"
until = 2026-12-31
[baseline]
runs = ["a"]
may_differ = ["firmware"]
[baseline.ratio]
max = 1.5
)";

constexpr std::string_view kPieces[] = {"-1",         "nan",      "1e308",     "\"",      "'",   "[",  "]]",
                                        "=",          ".",        "\n",        "true",    "{}",  "# ", "\"\"\"",
                                        "1979-05-27", "\xff",     " ",         "\\u0000", "0x7", "p",  "above_",
                                        "_h",         "setting ", "added_max", "[[a]]\n"};

void change(std::string& text, uint8_t what, size_t place, size_t more) {
  constexpr size_t kLongest = 1 << 20;  // a line that is doubled again and again fills the memory, and says nothing
  if (text.empty() || text.size() > kLongest) return;
  place %= text.size();
  switch (what % 4) {
    case 0:
      text[place] = static_cast<char>(more);
      break;
    case 1:
      text.erase(place, more % 16);
      break;
    case 2:
      text.insert(place, kPieces[more % std::size(kPieces)]);
      break;
    default:  // a line twice, elsewhere
      text.insert(text.rfind('\n', place) + 1, text.substr(place, text.find('\n', place) - place + 1));
      break;
  }
}

core::RunResult small_run() {
  core::RunResult run;
  run.state = core::RunResult::State::complete;
  run.phases = {reports::test::phase_of("npt", "npt", 1,
                                        {reports::test::cpu_from_bins(0, {{10e3, 11e3, 9}, {60e3, 61e3, 1}}, 1)})};
  return run;
}

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const core::RunResult run = small_run();
  std::string text(kGate);
  for (size_t at = 0; at + 4 <= size; at += 4)
    change(text, bytes[at], static_cast<size_t>(bytes[at + 1] | bytes[at + 2] << 8), bytes[at + 3]);
  const auto read = reports::parse_gate(text, "g.toml");
  if (!read) {
    const std::string& error = read.error().text;
    require(error.starts_with("g.toml:") && error.find('\n') == std::string::npos, "no line with its place", error);
    return 0;
  }
  reports::Gate gate = read->gate;
  if (gate.baseline) gate.baseline->runs.push_back({"a", run});
  const core::Verdict verdict = reports::judge(run, gate, "2026-11-25");
  require(!verdict.rules.empty(), "a gate without a rule", text);
  for (const core::RuleResult& rule : verdict.rules)
    require(!rule.limit.empty() && !rule.observed.empty(), "a rule that says nothing", text);
  return 0;
}
