// SPDX-License-Identifier: MIT
#include "slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "surface.hpp"

namespace maxlat::shield {
namespace {

// The value of a property among the lines "ActiveState=active", "AllowedCPUs=0-1 3"; the blanks of a list as commas.
std::string value_of(const std::string& lines, const std::string& property) {
  std::istringstream text("\n" + lines);
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with(property + "=")) continue;
    std::istringstream words(line.substr(property.size() + 1));
    std::string value;
    for (std::string word; words >> word;) value += (value.empty() ? "" : ",") + word;
    return value;
  }
  return {};
}

// Without the file of the property, and without the folder that was made for it, the unit is as it was before.
bool remove_drop_in(const std::string& unit, Surface& surface) {
  bool some = false;
  for (const char* place : {"/run/systemd/system.control", "/run/systemd/transient"}) {
    const std::string folder = fmt::format("{}/{}.d", place, unit);
    if (!surface.remove_file(folder + "/50-AllowedCPUs.conf")) continue;
    some = true;
    static_cast<void>(surface.remove_folder(folder));  // other drop-ins keep it
  }
  return some;
}

}  // namespace

core::Result<SliceCpus> slice_cpus(const Surface& surface) {
  SliceCpus slices;
  if (!surface.has_systemd()) return slices;
  for (const char* unit : {"init.scope", "machine.slice", "system.slice", "user.slice"}) {
    const auto shown = surface.systemctl({"show", "--property=ActiveState,AllowedCPUs", unit});
    if (!shown) return shown.error();
    if (value_of(*shown, "ActiveState") == "active") slices[unit] = value_of(*shown, "AllowedCPUs");
  }
  return slices;
}

std::string to_line(const SliceCpus& slices) {
  std::string line;
  for (const auto& [unit, cpus] : slices) line += fmt::format("{}{}={}", line.empty() ? "" : " ", unit, cpus);
  return line;
}

SliceCpus slices_from_line(const std::string& line) {
  SliceCpus slices;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (equals != std::string::npos) slices[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return slices;
}

// A unit that is to have no CPUs of its own gets all of them first, because the kernel does not empty the cpuset of a
// group that has processes. Then it loses its drop-in, and systemd reads that there is none.
core::Status set_slices(const SliceCpus& slices, Surface& surface) {
  const std::string all = core::to_string(surface.online());
  for (const auto& [unit, cpus] : slices) {
    const std::string property = "AllowedCPUs=" + (cpus.empty() ? all : cpus);
    if (const auto set = surface.systemctl({"set-property", "--runtime", unit, property}); !set) return set.error();
  }
  bool some_removed = false;
  for (const auto& [unit, cpus] : slices)
    if (cpus.empty()) some_removed = remove_drop_in(unit, surface) || some_removed;
  if (!some_removed) return {};
  const auto reloaded = surface.systemctl({"daemon-reload"});
  return reloaded ? core::Status{} : core::Status{reloaded.error()};
}

}  // namespace maxlat::shield
