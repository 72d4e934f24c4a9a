// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/sys/text_file.hpp>

#include "setting_readers.hpp"

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

CpuList MachineView::measured() const {
  if (!measured_cpus.empty()) return measured_cpus;
  return read_cpus(*this, "/sys/devices/system/cpu/online").value_or(CpuList{});
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> table = [] {
    std::vector<Setting> rows;
    for (auto* group : {kernel_settings, isolation_settings, interrupt_settings, cpu_settings, clock_settings,
                        memory_settings, environment_settings}) {
      auto more = group();
      rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
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
