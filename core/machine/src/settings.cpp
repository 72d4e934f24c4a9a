// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <maxlat/core/machine/setting_readers.hpp>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/text_file.hpp>

namespace maxlat::core {

std::optional<std::string> MachineView::read(std::string_view path) const {
  return read_text(root + std::string(path));
}

std::optional<std::string> MachineView::read_bytes(std::string_view path) const {
  return read_file(root + std::string(path));
}

std::vector<std::string> MachineView::list(std::string_view directory) const {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(root + std::string(directory), error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

bool MachineView::is_writable(std::string_view path) const {
  std::error_code error;
  const auto permissions = std::filesystem::status(root + std::string(path), error).permissions();
  return !error && (permissions & std::filesystem::perms::owner_write) != std::filesystem::perms::none;
}

CpuList MachineView::measured() const {
  if (!measured_cpus.empty()) return measured_cpus;
  return read_cpus(*this, "/sys/devices/system/cpu/online").value_or(CpuList{});
}

namespace {

// Behind the last row of this group, so that the table has each group once.
std::vector<Setting>::const_iterator end_of_group(const std::vector<Setting>& rows, std::string_view group) {
  const auto last = std::find_if(rows.rbegin(), rows.rend(), [&](const Setting& row) { return row.group == group; });
  return last == rows.rend() ? rows.end() : last.base();
}

}  // namespace

std::vector<const SettingGroup*> setting_group_rows();  // of CMakeLists.txt

std::vector<const SettingGroup*>& setting_groups() {
  static std::vector<const SettingGroup*> table = setting_group_rows();
  return table;
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> table = [] {
    std::vector<Setting> rows;
    for (const SettingGroup* group : setting_groups()) {
      auto more = group->rows();
      for (Setting& row : more) rows.insert(end_of_group(rows, row.group), std::move(row));
    }
    return rows;
  }();
  return table;
}

SettingObservation observe(const Setting& setting, const MachineView& machine) {
  Setting::Reading reading = setting.read(machine);
  return {reading.verdict,
          std::string(setting.name),
          std::string(setting.group),
          std::move(reading.observed),
          std::string(setting.expected),
          std::string(setting.why),
          fix_text(setting, machine)};
}

std::vector<SettingObservation> observe_all(const MachineView& machine) {
  std::vector<SettingObservation> rows;
  for (const Setting& setting : settings()) rows.push_back(observe(setting, machine));
  return rows;
}

}  // namespace maxlat::core
