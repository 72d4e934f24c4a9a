// SPDX-License-Identifier: MIT
//
// KTAP 1, as the kernel's own tests print it (Documentation/dev-tools/ktap.rst): a waived failure is expected (XFAIL),
// what was not measured is an ERROR, and only "not ok" fails.
#include <fmt/format.h>

#include <maxlat/core/sys/text.hpp>

#include "verdict_format.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

// A '#' begins a directive.
std::string ktap_text(std::string_view text) {
  std::string out;
  for (const char c : core::printable(text)) (out += c == '#' ? "\\" : "") += c;
  return out;
}

std::string ktap_line(size_t number, const core::RuleResult& rule) {
  const std::string name = ktap_text(rule.rule), text = ktap_text(told(rule));
  switch (rule.outcome) {
    case Outcome::pass:
      return fmt::format("ok {} {}\n# {}\n", number, name, text);
    case Outcome::warning:
      return fmt::format("ok {} {}\n# warning: {}\n", number, name, text);
    case Outcome::waived:
      return fmt::format("ok {} {} # XFAIL {}\n", number, name, text);
    case Outcome::fail:
      return fmt::format("not ok {} {}\n# {}\n", number, name, text);
    case Outcome::invalid:
      return fmt::format("not ok {} {} # ERROR {}\n", number, name, text);
  }
  return {};
}

std::string write_ktap(const JudgedRun& judged) {
  const std::vector<core::RuleResult> rules = rules_and_whole_run(judged.run);
  std::string text = fmt::format("KTAP version 1\n# {}\n1..{}\n", ktap_text(judged.gate), rules.size());
  for (size_t i = 0; i < rules.size(); ++i) text += ktap_line(i + 1, rules[i]);
  return text + fmt::format("# verdict: {}\n", core::to_string(judged.run.verdict.kind));
}

}  // namespace

extern const VerdictFormat kKtap{"ktap", "KTAP lines, for kernel test systems", write_ktap};

}  // namespace maxlat::reports
