// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <sstream>

namespace maxlat::core {

using Judgement = SettingObservation::Verdict;

Reading ok(std::string observed) {
  return {std::move(observed), Judgement::ok};
}
Reading bad(std::string observed) {
  return {std::move(observed), Judgement::bad};
}
Reading info(std::string observed) {
  return {std::move(observed), Judgement::info};
}
Reading unknown(std::string_view why) {
  return {why.empty() ? "unknown" : fmt::format("unknown ({})", why), Judgement::unknown};
}

Reading file_holds(const MachineView& machine, std::string_view path, std::string_view wanted) {
  const auto text = machine.read(path);
  return text ? judged(*text == wanted, *text) : unknown();
}

Reading over_measured_cpus(const MachineView& machine, const std::function<std::optional<std::string>(unsigned)>& read,
                           const std::function<bool(const std::string&)>& is_good) {
  const CpuList cpus = machine.measured();
  if (cpus.empty()) return unknown("no CPU to look at");
  std::vector<std::pair<std::string, CpuList>> values;  // in the order they were seen
  bool any_bad = false, any_unknown = false;
  for (const unsigned cpu : cpus) {
    const auto value = read(cpu);
    any_unknown = any_unknown || !value;
    any_bad = any_bad || (value && !is_good(*value));
    const std::string shown = value.value_or("unknown");
    auto same = values.begin();
    while (same != values.end() && same->first != shown) ++same;
    if (same == values.end()) same = values.insert(same, {shown, {}});
    same->second.push_back(cpu);
  }
  std::string observed = values.front().first;
  if (values.size() > 1) {
    std::vector<std::string> parts;
    for (const auto& [value, where] : values) parts.push_back(fmt::format("{} ({})", value, cpus_text(where)));
    observed = joined(parts);
  }
  if (any_bad) return bad(observed);
  if (any_unknown) return {observed.starts_with("unknown") ? observed : "unknown: " + observed, Judgement::unknown};
  return ok(observed);
}

std::optional<long long> read_number(const MachineView& machine, std::string_view path) {
  const auto text = machine.read(path);
  if (!text) return std::nullopt;
  long long value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

std::optional<CpuList> read_cpus(const MachineView& machine, std::string_view path) {
  const auto text = machine.read(path);
  if (!text) return std::nullopt;
  if (text->empty() || *text == "(null)") return CpuList{};  // "(null)": nohz_full of some kernels when there is none
  auto cpus = parse_cpu_list(*text);
  return cpus ? std::optional(*std::move(cpus)) : std::nullopt;
}

std::optional<CpuList> read_cpu_mask(const MachineView& machine, std::string_view path) {
  const auto text = machine.read(path);
  if (!text) return std::nullopt;
  auto cpus = parse_cpu_mask(*text);
  return cpus ? std::optional(*std::move(cpus)) : std::nullopt;
}

CpuList sorted_unique(CpuList cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string chosen_word(const std::string& text) {
  const size_t open = text.find_first_of("[(");
  const size_t close = open == std::string::npos ? open : text.find_first_of("])", open);
  return close == std::string::npos ? text : text.substr(open + 1, close - open - 1);
}

std::optional<std::string> CommandLineOfKernel::value(std::string_view parameter) const {
  std::optional<std::string> found;
  std::istringstream words(text);
  for (std::string word; words >> word && word != "--";) {  // what follows "--" is for init
    if (word == parameter)
      found = "";
    else if (word.starts_with(parameter) && word[parameter.size()] == '=')
      found = word.substr(parameter.size() + 1);
  }
  return found;
}

std::optional<CommandLineOfKernel> kernel_command_line(const MachineView& machine) {
  auto text = machine.read("/proc/cmdline");
  if (!text) return std::nullopt;
  return CommandLineOfKernel{*std::move(text)};
}

CpuInfo read_cpuinfo(const MachineView& machine) {
  CpuInfo info;
  std::map<std::string, std::string>* current = nullptr;
  std::istringstream lines(machine.read("/proc/cpuinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name(trimmed(std::string_view(line).substr(0, colon)));
    const std::string value(trimmed(std::string_view(line).substr(colon + 1)));
    unsigned cpu = 0;
    if (name == "processor" && std::from_chars(value.data(), value.data() + value.size(), cpu).ec == std::errc{})
      current = &info[cpu];
    if (current != nullptr) (*current)[name] = value;
  }
  return info;
}

std::vector<Process> processes_of(const MachineView& machine) {
  std::vector<Process> processes;
  for (const std::string& pid : machine.list("/proc")) {
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (auto comm = machine.read("/proc/" + pid + "/comm")) processes.push_back({pid, *std::move(comm)});
  }
  return processes;
}

bool has_word(const std::string& text, std::string_view word) {
  std::istringstream words(text);
  for (std::string candidate; words >> candidate;)
    if (candidate == word) return true;
  return false;
}

std::string cpus_text(const CpuList& cpus) {
  return "CPU " + to_string(cpus);
}

CpuList siblings_of(const MachineView& machine) {
  CpuList siblings;
  for (const unsigned cpu : machine.measured()) {
    const auto of_cpu = read_cpus(machine, cpu_path(cpu, "topology/thread_siblings_list")).value_or(CpuList{});
    siblings.insert(siblings.end(), of_cpu.begin(), of_cpu.end());
  }
  return difference(sorted_unique(std::move(siblings)), machine.measured());
}

std::string cpu_path(unsigned cpu, std::string_view file) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/{}", cpu, file);
}

std::string joined(const std::vector<std::string>& words, size_t at_most) {
  if (words.size() <= at_most) return fmt::format("{}", fmt::join(words, ", "));
  const std::vector<std::string> first(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at_most));
  return fmt::format("{} and {} more", fmt::join(first, ", "), words.size() - at_most);
}

}  // namespace maxlat::core
