// SPDX-License-Identifier: MIT
#include "slices.hpp"

#include <fmt/format.h>

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

core::Result<std::optional<std::string>> slice_cpus(const Surface& surface, const std::string& unit) {
  std::optional<std::string> none;
  if (!surface.has_systemd()) return none;
  const auto shown = surface.systemctl({"show", "--property=ActiveState,AllowedCPUs", unit});
  if (!shown) return shown.error();
  if (value_of(*shown, "ActiveState") != "active") return none;
  return std::optional(value_of(*shown, "AllowedCPUs"));
}

std::string to_line(const Slice& slice) {
  return slice.unit + "=" + slice.cpus;
}

Slice slice_from_line(const std::string& line) {
  const size_t equals = line.find('=');
  if (equals == std::string::npos) return {};
  return {line.substr(0, equals), line.substr(equals + 1)};
}

// A unit that is to have no CPUs of its own gets all of them first, because the kernel does not empty the cpuset of a
// group that has processes. Then it loses its drop-in, and systemd reads that there is none.
core::Status set_slice(const Slice& slice, Surface& surface) {
  const std::string cpus = slice.cpus.empty() ? core::to_string(surface.online()) : slice.cpus;
  const auto set = surface.systemctl({"set-property", "--runtime", slice.unit, "AllowedCPUs=" + cpus});
  if (!set) return set.error();
  if (!slice.cpus.empty() || !remove_drop_in(slice.unit, surface)) return {};
  const auto reloaded = surface.systemctl({"daemon-reload"});
  return reloaded ? core::Status{} : core::Status{reloaded.error()};
}

}  // namespace maxlat::shield
