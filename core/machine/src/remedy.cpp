// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/core/machine/remedy.hpp>
#include <maxlat/core/machine/setting_readers.hpp>
#include <sstream>

namespace maxlat::core {
namespace {

// "managed_irq,domain,2-3": words, and CPUs.
struct ParameterValue {
  std::vector<std::string> words;
  CpuList cpus;

  void add(const ParameterValue& more) {
    for (const std::string& word : more.words)
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    cpus.insert(cpus.end(), more.cpus.begin(), more.cpus.end());
    cpus = sorted_unique(std::move(cpus));
  }
  std::string text() const {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return cpus.empty() ? text : text + (text.empty() ? "" : ",") + to_string(cpus);
  }
};

ParameterValue parsed(const std::string& text) {
  ParameterValue value;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    if (const auto cpus = parse_cpu_list(part))
      value.add({{}, *cpus});
    else
      value.words.push_back(part);
  }
  return value;
}

bool includes(const ParameterValue& running, const ParameterValue& wanted) {
  return running.cpus == wanted.cpus && std::all_of(wanted.words.begin(), wanted.words.end(), [&](const auto& word) {
           return std::find(running.words.begin(), running.words.end(), word) != running.words.end();
         });
}

void look_up(BootParameter& parameter, const CommandLineOfKernel& command_line) {
  const auto running = command_line.value(parameter.name);
  if (!running) return;
  parameter.running = *running;
  const bool there = includes(parsed(*running), parsed(parameter.value));
  parameter.standing = there ? BootParameter::Standing::there : BootParameter::Standing::other;
}

}  // namespace

Remedy remedy_of(const Setting& setting, const MachineView& machine) {
  Remedy remedy{.setting = &setting, .seen = observe(setting, machine)};
  using Seen = SettingObservation::Verdict;
  const bool is_bad = remedy.seen.verdict == Seen::bad;
  const bool may_be_wrong = is_bad || remedy.seen.verdict == Seen::unknown;
  if (!setting.only_when_asked)
    for (FileWrite& file : writes_of(setting, machine)) {
      if (!may_be_wrong && !file.precaution) continue;
      auto before = held_value(file.path, machine);
      if (before && !is_written(file, machine)) remedy.writes.push_back({std::move(file), *std::move(before)});
    }
  if (may_be_wrong && setting.immovable != nullptr && !boot_words(setting, machine).empty()) {
    const auto immovable = setting.immovable(machine);
    remedy.some_wait_for_reboot = !immovable || !immovable->empty();
  }
  if (!remedy.writes.empty())
    remedy.means = Remedy::Means::write;
  else if (!is_bad)
    remedy.means = Remedy::Means::nothing;
  else if (!setting.only_when_asked && (setting.needs_reboot || !setting.boot.empty()))
    remedy.means = Remedy::Means::reboot;
  else
    remedy.means = Remedy::Means::person;
  return remedy;
}

std::vector<BootParameter> boot_parameters(std::span<const Setting* const> settings, const MachineView& machine) {
  std::vector<BootParameter> parameters;
  for (const Setting* setting : settings) {
    if (setting->only_when_asked) continue;
    std::istringstream words(boot_words(*setting, machine));
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      const std::string name = word.substr(0, equals), wanted = equals == word.npos ? "" : word.substr(equals + 1);
      auto same = std::find_if(parameters.begin(), parameters.end(),
                               [&](const BootParameter& parameter) { return parameter.name == name; });
      if (same == parameters.end()) same = parameters.insert(same, {.name = name});
      ParameterValue value = parsed(same->value);
      value.add(parsed(wanted));
      same->value = value.text();
      same->settings.push_back(setting->name);
    }
  }
  if (const auto command_line = kernel_command_line(machine))
    for (BootParameter& parameter : parameters) look_up(parameter, *command_line);
  return parameters;
}

std::vector<BootParameter> boot_parameters(const MachineView& machine) {
  std::vector<const Setting*> all;
  for (const Setting& setting : settings()) all.push_back(&setting);
  return boot_parameters(all, machine);
}

}  // namespace maxlat::core
