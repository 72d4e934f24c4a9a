// SPDX-License-Identifier: MIT
#include "box.hpp"

#include <fmt/format.h>

namespace maxlat::reports {
namespace {

constexpr size_t kBuildShown = 12;  // characters that tell builds apart

// "#1 SMP PREEMPT_RT Debian 6.1.140-1" -> "PREEMPT_RT"; a kernel that says nothing of it has no preemption.
std::string preemption_of(const std::string& version) {
  const size_t begin = version.find("PREEMPT");
  if (version.empty()) return {};
  if (begin == std::string::npos) return "not preemptible";
  return version.substr(begin, version.find(' ', begin) - begin);
}

}  // namespace

std::string machine_value(const core::RunResult& run, std::string_view group, std::string_view name) {
  for (const auto& one : run.machine) {
    if (one.name != group) continue;
    for (const auto& [key, value] : one.values)
      if (key == name) return value;
  }
  return {};
}

std::optional<std::string> box_of(const core::RunResult& run) {
  if (const auto noted = run.annotations.find("box"); noted != run.annotations.end()) return noted->second;
  std::string text;
  const auto add = [&](const char* before, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : ", ") + (before + value);
  };
  add("", machine_value(run, "firmware", "product_name"));
  add("", machine_value(run, "firmware", "device tree model"));
  add("", machine_value(run, "cpu", "model name"));
  add("CPUs ", machine_value(run, "cpu", "possible"));
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string box_text(const core::RunResult& run) {
  std::string text = machine_value(run, "cpu", "model name");
  const auto add = [&](const char* before, const std::string& value) {
    if (!value.empty()) text += (text.empty() ? "" : before) + value;
  };
  if (const auto online = machine_value(run, "cpu", "online"); !online.empty()) add(", ", "CPUs " + online);
  if (const auto release = machine_value(run, "kernel", "release"); !release.empty()) add("; ", "Linux " + release);
  add(", ", preemption_of(machine_value(run, "kernel", "version")));
  return text;
}

std::vector<std::string> run_facts(const core::RunResult& run) {
  std::vector<std::string> facts;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) facts.push_back(text);
  };
  add(run.id);
  if (!run.plan.empty()) add("plan " + run.plan);
  add(run.started.empty() || run.ended.empty() ? run.started : run.started + " to " + run.ended);
  add(run.build.empty() ? run.tool : run.tool + ", build " + run.build.substr(0, kBuildShown));
  for (const auto& [key, value] : run.annotations) add(key + ": " + value);
  return facts;
}

}  // namespace maxlat::reports
