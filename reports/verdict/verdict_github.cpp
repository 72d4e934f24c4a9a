// SPDX-License-Identifier: MIT
//
// Workflow commands of GitHub Actions: an annotation for each rule that did not simply pass, and one for the verdict.
#include <fmt/format.h>

#include "verdict_format.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

// Data of a command; in a property ',' and ':' are escaped, too.
std::string github_text(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out;
}

std::string annotation(std::string_view level, std::string_view title, std::string_view text) {
  return fmt::format("::{} title={}::{}\n", level, github_text(title, true), github_text(text, false));
}

std::string_view level_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "";
    case Outcome::warning:
    case Outcome::waived:
      return "warning";
    case Outcome::fail:
    case Outcome::invalid:
      return "error";
  }
  return "error";
}

std::string write_github(const JudgedRun& judged) {
  std::string text;
  for (const core::RuleResult& rule : rules_and_whole_run(judged.run))
    if (const std::string_view level = level_of(rule.outcome); !level.empty())
      text += annotation(level, fmt::format("{} ({})", rule.rule, core::to_string(rule.outcome)), told(rule));
  return text + annotation("notice", judged.gate, fmt::format("verdict: {}", core::to_string(judged.run.verdict.kind)));
}

}  // namespace

extern const VerdictFormat kGithub{"github", "annotations of GitHub Actions", write_github};

}  // namespace maxlat::reports
