// SPDX-License-Identifier: MIT
#include "gate_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>
#include <string>

namespace maxlat::rteval_ext {
namespace {

// The arms of a comparison, and further looks at them, are named after its step: "tracers: maxlat:timer".
bool is_of_step(const std::string& name, const Step& step) {
  return name == step.name || name == step.phase->name || name == to_string(step.phase->kind) ||
         (is_comparison(step.phase->kind) && name.starts_with(step.name + ": "));
}

// The phases that no plan names.
bool is_of_every_run(const std::string& name) {
  for (const char* one : {kShieldStep, kPreflight, kShieldAuditStep, kPreflightAtTheEnd})
    if (name == one) return true;
  return name == core::kPreflightKind.name || name == core::kAuditKind.name;
}

std::string names_of(const std::vector<Step>& steps) {
  std::vector<std::string> names;
  for (const Step& step : steps)
    for (const std::string& name : {step.name, std::string(to_string(step.phase->kind))})
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

core::Status check_phases_of_gate(const reports::Gate& gate, const std::vector<Step>& steps) {
  std::vector<std::string> wanted;
  for (const reports::Rule& rule : gate.rules) wanted.push_back(rule.phase);
  if (gate.baseline) wanted.insert(wanted.end(), gate.baseline->phases.begin(), gate.baseline->phases.end());
  wanted.insert(wanted.end(), gate.may_be_invalid.begin(), gate.may_be_invalid.end());
  for (const std::string& name : wanted) {
    const bool known =
        name == "*" || is_of_every_run(name) ||
        std::any_of(steps.begin(), steps.end(), [&](const Step& step) { return is_of_step(name, step); });
    if (!known)
      return core::Error{
          fmt::format("gate '{}': no phase of the plan is called '{}', or is of this kind", gate.name, name),
          "the plan has " + names_of(steps)};
  }
  return {};
}

}  // namespace maxlat::rteval_ext
