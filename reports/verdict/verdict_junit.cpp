// SPDX-License-Identifier: MIT
//
// JUnit's XML as Jenkins (its xunit plug-in's junit-10.xsd), GitLab and GitHub's reporters read it: testsuites, one
// testsuite, a testcase for each rule. The phase is the class. Only a testsuite counts what is skipped, there.
#include <algorithm>
#include <maxlat/core/sys/utc.hpp>

#include "../page/html.hpp"
#include "verdict_format.hpp"

namespace maxlat::reports {
namespace {

using Outcome = core::RuleResult::Outcome;

std::string count_of(const std::vector<core::RuleResult>& rules, Outcome outcome) {
  return std::to_string(
      std::count_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule.outcome == outcome; }));
}

void add_testcase(Html& xml, const core::RuleResult& rule) {
  const RuleName name = name_of_rule(rule);
  const std::string text = told(rule);
  const auto testcase = xml.element("testcase", {{"classname", name.phase}, {"name", name.metric}, {"time", "0"}});
  switch (rule.outcome) {
    case Outcome::pass:
      return xml.leaf("system-out", text);
    case Outcome::warning:
      return xml.leaf("system-out", "warning: " + text);
    case Outcome::waived:
      return xml.leaf("skipped", "", {{"message", text}});
    case Outcome::fail:
      return xml.leaf("failure", text, {{"message", text}, {"type", "limit exceeded"}});
    case Outcome::invalid:
      return xml.leaf("error", text, {{"message", text}, {"type", "not validly measured"}});
  }
}

void add_properties(Html& xml, const core::RunResult& run) {
  const auto properties = xml.element("properties");
  const auto property = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) xml.leaf("property", "", {{"name", name}, {"value", value}});
  };
  property("run", run.id);
  property("label", run.label);
  property("tool", run.tool);
  property("verdict", core::to_string(run.verdict.kind));
  for (const std::string& reason : run.verdict.reasons) property("reason", reason);
  for (const std::string& reason : run.verdict.not_comparable) property("not comparable with bare metal", reason);
}

// Required by the schema. Of an imported run, whose file tells no time, it is when it was judged.
std::string timestamp_of(const core::RunResult& run) {
  std::string time = !run.started.empty() ? run.started : !run.ended.empty() ? run.ended : core::utc_text();
  if (time.ends_with('Z')) time.pop_back();  // the schema's dateTime of most readers has no zone
  return time;
}

std::string write_junit(const JudgedRun& judged) {
  const std::vector<core::RuleResult> rules = rules_and_whole_run(judged.run);
  const std::string tests = std::to_string(rules.size()), failures = count_of(rules, Outcome::fail),
                    errors = count_of(rules, Outcome::invalid), skipped = count_of(rules, Outcome::waived);
  Html xml;
  xml.trusted("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  {
    const auto suites = xml.element(
        "testsuites",
        {{"name", "maxlat gate"}, {"tests", tests}, {"failures", failures}, {"errors", errors}, {"time", "0"}});
    const auto suite = xml.element("testsuite", {{"name", judged.gate},
                                                 {"tests", tests},
                                                 {"failures", failures},
                                                 {"errors", errors},
                                                 {"skipped", skipped},
                                                 {"time", "0"},
                                                 {"timestamp", timestamp_of(judged.run)},
                                                 {"hostname", "localhost"}});
    add_properties(xml, judged.run);
    for (const core::RuleResult& rule : rules) add_testcase(xml, rule);
  }
  return xml.take() + "\n";
}

}  // namespace

extern const VerdictFormat kJunit{"junit", "JUnit XML, for Jenkins, GitLab and most others", write_junit};

}  // namespace maxlat::reports
