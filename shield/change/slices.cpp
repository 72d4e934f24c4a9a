// SPDX-License-Identifier: MIT
#include "slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

constexpr char kNotFromADropIn = '!';

// Where set-property --runtime writes: the second is for units that no file defines, such as init.scope.
std::array<std::string, 2> drop_in_folders(const std::string& unit) {
  return {fmt::format("/run/systemd/system.control/{}.d", unit), fmt::format("/run/systemd/transient/{}.d", unit)};
}
std::string drop_in_of(const std::string& folder) {
  return folder + "/50-AllowedCPUs.conf";
}

bool has_drop_in(const std::string& unit, const Surface& surface) {
  const auto folders = drop_in_folders(unit);
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return surface.view().read(drop_in_of(folder)).has_value(); });
}

// Without the file of the property, and without the folder that was made for it, the unit is as it was before.
bool remove_drop_in(const std::string& unit, Surface& surface) {
  bool some = false;
  for (const std::string& folder : drop_in_folders(unit)) {
    if (!surface.remove_file(drop_in_of(folder))) continue;
    some = true;
    static_cast<void>(surface.remove_folder(folder));  // other drop-ins keep it
  }
  return some;
}

}  // namespace

core::Result<std::vector<std::optional<std::string>>> slices_cpus(const Surface& surface,
                                                                  const std::vector<std::string>& units) {
  std::vector<std::optional<std::string>> found(units.size());
  if (!surface.has_systemd()) return found;
  std::vector<std::string> show{"show", "--property=ActiveState,AllowedCPUs"};
  show.insert(show.end(), units.begin(), units.end());
  const auto shown = surface.systemctl(std::move(show));
  if (!shown) return shown.error();
  // One block for each, in their order, with an empty line between two.
  size_t at = 0;
  for (size_t i = 0; i < units.size(); ++i) {
    const size_t end = shown->find("\n\n", at);
    if (at == std::string::npos) return core::Error{"systemctl show tells nothing of " + units[i]};
    const std::string block = shown->substr(at, end == std::string::npos ? end : end - at);
    at = end == std::string::npos ? end : end + 2;
    if (value_of(block, "ActiveState") != "active") continue;
    found[i] = value_of(block, "AllowedCPUs");
    if (found[i]->empty() || !has_drop_in(units[i], surface)) *found[i] += kNotFromADropIn;
  }
  return found;
}

std::string without_mark(const std::string& cpus) {
  return cpus.ends_with(kNotFromADropIn) ? cpus.substr(0, cpus.size() - 1) : cpus;
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
// group that has processes. With a mark it then loses its drop-in, and systemd reads that there is none.
std::vector<core::Status> set_slices(std::span<const Slice> slices, Surface& surface) {
  std::vector<core::Status> results;
  for (const Slice& slice : slices) {
    const std::string bare = without_mark(slice.cpus), cpus = bare.empty() ? core::to_string(surface.online()) : bare;
    const auto set = surface.systemctl({"set-property", "--runtime", slice.unit, "AllowedCPUs=" + cpus});
    results.push_back(set ? core::Status{} : core::Status{set.error()});
  }
  std::vector<core::Status*> to_reload;
  for (size_t i = 0; i < slices.size(); ++i)
    if (results[i] && without_mark(slices[i].cpus) != slices[i].cpus && remove_drop_in(slices[i].unit, surface))
      to_reload.push_back(&results[i]);
  if (to_reload.empty()) return results;
  if (const auto reloaded = surface.systemctl({"daemon-reload"}); !reloaded)
    for (core::Status* const result : to_reload) *result = reloaded.error();
  return results;
}

}  // namespace maxlat::shield
