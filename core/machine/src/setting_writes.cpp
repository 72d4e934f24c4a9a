// SPDX-License-Identifier: MIT
//
// From the rows of the settings table to what is written on this machine, and to the commands that check shows.
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/machine/settings.hpp>

namespace maxlat::core {
namespace {

std::string replaced(std::string text, std::string_view blank, const std::string& by) {
  for (size_t at = 0; (at = text.find(blank, at)) != std::string::npos; at += by.size())
    text.replace(at, blank.size(), by);
  return text;
}

bool has_others(std::string_view text) {
  return text.find("{others") != std::string_view::npos;
}

bool needs_others(const Setting& setting) {
  return std::any_of(setting.set.begin(), setting.set.end(),
                     [](const SettingWrite& row) { return has_others(row.value); });
}

std::string filled(std::string_view text, const MachineView& machine) {
  const CpuList others = other_cpus(machine);
  std::string full = replaced(std::string(text), "{cpus}", to_string(machine.measured()));
  return replaced(replaced(full, "{others:mask}", to_mask(others)), "{others}", to_string(others));
}

// The number in which two paths differ, as begin and end in the first; nothing when they differ otherwise.
struct Place {
  size_t begin = 0, end = 0;
};
std::optional<Place> numbered_alike(const std::string& one, const std::string& other) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t begin = 0;
  while (begin < std::min(one.size(), other.size()) && one[begin] == other[begin]) ++begin;
  while (begin > 0 && is_digit(one[begin - 1])) --begin;
  size_t end = begin, end_of_other = begin;
  while (end < one.size() && is_digit(one[end])) ++end;
  while (end_of_other < other.size() && is_digit(other[end_of_other])) ++end_of_other;
  if (end == begin || end_of_other == begin || one.substr(end) != other.substr(end_of_other)) return std::nullopt;
  return Place{begin, end};
}

// Writes of one value to files that a number tells apart are one command.
std::string command_of(const std::vector<FileWrite>& writes, size_t& at) {
  const FileWrite& first = writes[at++];
  std::optional<Place> place;
  std::string numbers;
  for (; at < writes.size() && writes[at].value == first.value; ++at) {
    const auto alike = numbered_alike(first.path, writes[at].path);
    if (!alike || (place && alike->begin != place->begin)) break;
    if (!place) numbers = first.path.substr(alike->begin, alike->end - alike->begin);
    place = alike;
    const std::string& path = writes[at].path;
    numbers += "," + path.substr(alike->begin, path.size() - alike->begin - (first.path.size() - alike->end));
  }
  if (!place) return fmt::format("echo {} > {}", first.value, first.path);
  return fmt::format("echo {} | tee {}{{{}}}{}", first.value, first.path.substr(0, place->begin), numbers,
                     first.path.substr(place->end));
}

}  // namespace

CpuList other_cpus(const MachineView& machine) {
  if (!machine.other_cpus.empty()) return machine.other_cpus;
  return difference(read_cpus(machine, "/sys/devices/system/cpu/online").value_or(CpuList{}), machine.measured());
}

std::vector<FileWrite> writes_of(const Setting& setting, const MachineView& machine) {
  std::vector<FileWrite> writes;
  const bool none_left = other_cpus(machine).empty();
  for (const SettingWrite& row : setting.set) {
    if (none_left && has_others(row.value)) continue;
    const std::string value = filled(row.value, machine);
    const bool each = row.path.find("{cpu}") != std::string_view::npos;
    for (const unsigned cpu : each ? machine.measured() : CpuList{0}) {
      std::string path = replaced(std::string(row.path), "{cpu}", std::to_string(cpu));
      if (machine.read(path)) writes.push_back({std::move(path), value});
    }
  }
  if (setting.set_here != nullptr)
    for (FileWrite& write : setting.set_here(machine)) {
      if (none_left && has_others(write.value)) continue;
      write.value = filled(write.value, machine);
      writes.push_back(std::move(write));
    }
  return writes;
}

std::string boot_words(const Setting& setting, const MachineView& machine) {
  if (has_others(setting.boot) && other_cpus(machine).empty()) return {};
  return filled(setting.boot, machine);
}

std::optional<std::string> held_value(const std::string& path, const MachineView& machine) {
  const auto text = machine.read(path);
  return text ? std::optional(chosen_word(*text)) : std::nullopt;
}

bool is_written(const FileWrite& write, const MachineView& machine) {
  const auto text = machine.read(write.path);
  if (!text) return false;
  if (*text == write.value || chosen_word(*text) == write.value) return true;
  const auto same = [](const auto& one, const auto& other) { return one && other && *one == *other; };
  return same(parse_cpu_list(*text), parse_cpu_list(write.value)) ||
         same(parse_cpu_mask(*text), parse_cpu_mask(write.value));
}

std::string fix_text(const Setting& setting, const MachineView& machine) {
  std::string text;
  const auto add = [&](const std::string& part, const char* between) { text += (text.empty() ? "" : between) + part; };
  const std::vector<FileWrite> writes = writes_of(setting, machine);
  for (size_t at = 0; at < writes.size();) add(command_of(writes, at), "; ");
  const bool none_left = other_cpus(machine).empty();
  if (const std::string boot = boot_words(setting, machine); !boot.empty())
    add(boot + (writes.empty() ? " on the kernel command line, and a reboot" : " at boot"), ", or ");
  const bool by_reboot = !text.empty() && !setting.boot.empty();
  if (by_reboot && setting.immovable != nullptr) {
    const auto immovable = setting.immovable(machine);
    if (!immovable)
      add("what refuses the write needs the parameters and a reboot", "; ");
    else if (!immovable->empty())
      add(joined(*immovable, 4) + " cannot be moved while the machine runs: needs the parameters and a reboot", "; ");
  }
  if (text.empty() && none_left && needs_others(setting)) text = "leave a CPU that is not measured";
  const std::string_view words = text.empty() && !setting.elsewhere.empty() ? setting.elsewhere : setting.fix;
  if (!words.empty()) add(filled(words, machine), "; ");
  if (setting.needs_reboot && setting.boot.empty() && !text.empty()) text += "; needs a reboot";
  return text;
}

}  // namespace maxlat::core
