// SPDX-License-Identifier: MIT
#include "audit_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/text_table.hpp>

namespace maxlat::shield {
namespace {

using Kind = core::Interruption::Kind;

constexpr size_t kMostCauses = 8;

std::string causes_of(const core::CpuActivity& cpu, double seconds) {
  std::vector<core::Interruption> causes = cpu.named;
  causes.insert(causes.end(), cpu.counted.begin(), cpu.counted.end());
  if (causes.empty()) return {};
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  core::TextTable table({fmt::format("CPU {}: what", cpu.cpu), "name", "", "by", "#count", "#a second"});
  for (size_t i = 0; i < causes.size() && i < kMostCauses; ++i) {
    const core::Interruption& each = causes[i];
    table.row({core::shown_word(each.kind), core::printable(each.name), core::printable(each.what),
               core::printable(each.by), fmt::to_string(each.count),
               rate_text(static_cast<double>(each.count) / seconds)});
  }
  std::string text = "\n" + table.text(core::kTextWidth, "");
  if (causes.size() > kMostCauses) text += fmt::format("and {} more (--json has all)\n", causes.size() - kMostCauses);
  return text;
}

}  // namespace

std::vector<CpuVerdict> verdicts_of(const core::Phase& phase, const AuditPlan& plan) {
  std::vector<CpuVerdict> verdicts;
  for (const core::CpuActivity& cpu : phase.activity) verdicts.push_back(judge(cpu, plan, phase.duration_s));
  return verdicts;
}

std::string text_of(const core::Phase& phase, const AuditPlan& plan) {
  std::string text =
      fmt::format("audit of CPU {} for {}, limit: {} a second; names: {}\n", core::to_string(plan.cpus),
                  core::duration_text(phase.duration_s), rate_text(plan.limit_per_s), phase.facts.at("names"));
  if (!plan.own.empty())
    text += core::wrapped(fmt::format("{}", fmt::join(plan.own, ", ")), core::kTextWidth, "these belong there: ", "  ");
  text += "\n";
  core::TextTable table({"#CPU", "verdict", "#a second", "#timer", "#devices", "#sent", "#other", "#switches", "most"});
  const std::vector<CpuVerdict> verdicts = verdicts_of(phase, plan);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    const core::CpuActivity& cpu = phase.activity[i];
    const auto counted = [&](Kind kind) { return fmt::to_string(cpu.count(kind)); };
    table.row({fmt::to_string(cpu.cpu), to_string(verdicts[i].kind), rate_text(verdicts[i].per_s), counted(Kind::timer),
               counted(Kind::device), counted(Kind::sent), counted(Kind::other),
               cpu.switches ? fmt::to_string(*cpu.switches) : "-", core::printable(verdicts[i].most)});
  }
  text += table.text(core::kTextWidth, "");
  for (const core::CpuActivity& cpu : phase.activity) text += causes_of(cpu, phase.duration_s);
  if (const auto untold = phase.facts.find("not told by this kernel"); untold != phase.facts.end())
    text += core::wrapped(untold->second, core::kTextWidth, "\nnot told by this kernel: ", "  ");
  for (const std::string& warning : phase.warnings) text += core::wrapped(warning, core::kTextWidth, "warning: ", "  ");
  if (!phase.reason.empty()) text += fmt::format("{}: {}\n", core::to_string(phase.status), phase.reason);
  return text;
}

}  // namespace maxlat::shield
