// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/machine/machine_difference.hpp>
#include <maxlat/core/sys/text.hpp>

namespace maxlat::core {
namespace {

constexpr size_t kToldWidth = 60;  // of a value: a command line has hundreds of characters

using Values = std::vector<std::pair<std::string, std::string>>;

const FingerprintGroup* group_named(const std::vector<FingerprintGroup>& groups, const std::string& name) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

std::string value_named(const Values& values, const std::string& name) {
  for (const auto& [key, value] : values)
    if (key == name) return value;
  return "";
}

// A group without a value was not told, but for those that a machine may well have nothing of.
bool is_told(const std::string& name, const FingerprintGroup* group) {
  if (name == "notes") return true;  // who made none has no such group
  if (group == nullptr) return false;
  if (name == "modules" || name == "services") return true;
  return std::any_of(group->values.begin(), group->values.end(), [](const auto& pair) { return !pair.second.empty(); });
}

MachineDifference difference_of(const std::string& name, const FingerprintGroup* one, const FingerprintGroup* other) {
  const Values here = one ? one->values : Values{}, there = other ? other->values : Values{};
  MachineDifference difference{
      .group = name, .values = {}, .here_tells = is_told(name, one), .there_tells = is_told(name, other)};
  for (const auto& [key, value] : here)
    if (const std::string other = value_named(there, key); other != value)
      difference.values.push_back({key, value, other});
  for (const auto& [key, value] : there) {
    const bool told =
        std::any_of(here.begin(), here.end(), [&key = key](const auto& pair) { return pair.first == key; });
    if (!told && !value.empty()) difference.values.push_back({key, "", value});
  }
  return difference;
}

std::string told(const std::string& value) {
  return value.empty() ? "not there" : cut_to(printable(value), kToldWidth);
}

std::string told(const ValueDifference& value) {
  return fmt::format("{} is {}, was {}", value.name, told(value.here), told(value.there));
}

}  // namespace

std::vector<MachineDifference> machine_differences(const std::vector<FingerprintGroup>& here,
                                                   const std::vector<FingerprintGroup>& there) {
  std::vector<MachineDifference> differences;
  const auto add = [&](const std::string& name, const FingerprintGroup* one, const FingerprintGroup* other) {
    MachineDifference difference = difference_of(name, one, other);
    if (!difference.values.empty()) differences.push_back(std::move(difference));
  };
  for (const FingerprintGroup& group : here) add(group.name, &group, group_named(there, group.name));
  for (const FingerprintGroup& group : there)
    if (group_named(here, group.name) == nullptr) add(group.name, nullptr, &group);
  return differences;
}

std::string to_string(const MachineDifference& difference, size_t most) {
  std::string text = difference.group;
  if (!difference.there_tells) return text + ": is told, was not told";
  if (!difference.here_tells) return text + ": is not told, was told";
  const size_t count = std::min(most, difference.values.size());
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? ": " : "; ") + told(difference.values[i]);
  if (const size_t further = difference.values.size() - count; further > 0)
    text += fmt::format("; and {} further value{}", further, further == 1 ? "" : "s");
  return text;
}

std::string with_all_values(const MachineDifference& difference) {
  return to_string(difference, difference.values.size());
}

}  // namespace maxlat::core
