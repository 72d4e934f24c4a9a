// SPDX-License-Identifier: MIT
//
// Signals that LAVA reads from the output of a test: a test case for each rule, with what was measured. LAVA knows
// pass, fail, skip and unknown; what was not measured is unknown, which is no pass.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "verdict_format.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

const char* lava_result(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
    case Outcome::warning:
      return "pass";
    case Outcome::waived:
      return "skip";
    case Outcome::fail:
      return "fail";
    case Outcome::invalid:
      return "unknown";
  }
  return "unknown";
}

// Letters, digits, '-', '_' and '.'; blanks of words become '-', one for several.
std::string lava_name(std::string_view rule) {
  std::string name;
  for (const char c : rule) {
    const bool allowed =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (allowed)
      name += c;
    else if (!name.empty() && !name.ends_with('-'))
      name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

// " MEASUREMENT=22000 UNITS=ns" of "22000 ns (22.0 us, CPU 0)"; nothing where no figure was observed.
std::string lava_measurement(const core::RuleResult& rule) {
  if (rule.outcome == Outcome::invalid) return {};
  const std::string& text = rule.observed;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{}) return {};
  const size_t length = static_cast<size_t>(end - text.data());
  const std::string rest = text.substr(length);
  for (const std::string unit : {"ns", "s"})
    if (rest == " " + unit || rest.starts_with(" " + unit + " "))
      return fmt::format(" MEASUREMENT={} UNITS={}", text.substr(0, length), unit);
  if (!rest.empty() && !rest.starts_with(" (")) return {};  // another unit, or no number ("0x1")
  return fmt::format(" MEASUREMENT={}", text.substr(0, length));
}

std::string write_lava(const JudgedRun& judged) {
  std::map<std::string, unsigned> times;
  std::string text;
  for (const core::RuleResult& rule : rules_and_whole_run(judged.run)) {
    std::string name = lava_name(rule.rule);
    if (const unsigned nth = ++times[name]; nth > 1) name += fmt::format("-{}", nth);
    text += fmt::format("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={} RESULT={}{}>\n", name, lava_result(rule.outcome),
                        lava_measurement(rule));
  }
  return text;
}

}  // namespace

extern const VerdictFormat kLava{"lava", "signals for LAVA, with what was measured", write_lava};

}  // namespace maxlat::reports
