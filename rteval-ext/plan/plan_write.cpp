// SPDX-License-Identifier: MIT
#include "plan_write.hpp"

#include <fmt/format.h>

namespace maxlat::rteval_ext {

namespace {

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string list_of(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) words.push_back(toml_text(text));
  return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string duration(uint64_t ns) {
  return toml_text(fmt::format("{}ns", ns));
}

void add_control(const PhasePlan& phase, std::string& out) {
  std::vector<std::string> meters, lengths;
  for (const PhaseKind meter : phase.meters) meters.emplace_back(to_string(meter));
  for (const uint64_t length_ns : phase.stalls.lengths_ns) lengths.push_back(fmt::format("{}ns", length_ns));
  out += fmt::format("meters = {}\n[phase.stalls]\nlengths = {}\nrepeats = {}\n", list_of(meters), list_of(lengths),
                     phase.stalls.repeats);
}

void add_limits(const PhasePlan& phase, std::string& out) {
  if (phase.limits.empty()) return;
  out += "[phase.limits]\n";
  for (const reports::Rule& rule : phase.limits)
    out += fmt::format("{} = {}\n", toml_text(rule.metric), reports::written_limit(rule));
}

}  // namespace

std::string to_toml(const Plan& plan) {
  std::string out = fmt::format("name = {}\nabout = {}\n", toml_text(plan.name), toml_text(plan.about));
  if (!plan.dma_latency) out += "dma_latency = false\n";
  if (!plan.kernel_events) out += "kernel_events = false\n";
  if (plan.shield == ShieldUse::wanted) out += "shield = true\n";
  if (plan.shield == ShieldUse::required) out += "shield = \"required\"\n";
  if (!plan.housekeeping.empty())
    out += fmt::format("housekeeping = {}\n", toml_text(core::to_string(plan.housekeeping)));
  if (!plan.settings.empty()) out += "\n[settings]\n";
  for (const auto& [name, use] : plan.settings)
    out += fmt::format("{} = \"{}\"\n", toml_text(name), use == SettingUse::required ? "required" : "comparable");
  for (const PhasePlan& phase : plan.phases) {
    out += fmt::format("\n[[phase]]\nname = {}\nkind = {}\n", toml_text(phase.name), toml_text(to_string(phase.kind)));
    if (!phase.cpus.empty()) out += fmt::format("cpus = {}\n", toml_text(phase.cpus));
    if (is_control(phase.kind)) {
      add_control(phase, out);
      continue;
    }
    out += fmt::format("duration = {}\n", duration(phase.duration_ns));
    if (is_comparison(phase.kind)) out += fmt::format("arms = {}\nrounds = {}\n", list_of(phase.arms), phase.rounds);
    if (!phase.loads.empty()) out += fmt::format("loads = {}\n", list_of(phase.loads));
    if (!phase.load_cpus.empty()) out += fmt::format("load_cpus = {}\n", toml_text(phase.load_cpus));
    if (!phase.arguments.empty()) out += fmt::format("arguments = {}\n", list_of(phase.arguments));
    add_limits(phase, out);
  }
  return out;
}

}  // namespace maxlat::rteval_ext
