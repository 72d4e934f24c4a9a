// SPDX-License-Identifier: MIT
#include <fnmatch.h>

#include <algorithm>
#include <maxlat/sensors/monitor.hpp>
#include <vector>

namespace maxlat::sensors {

bool matches(const std::string& pattern, const GroupView& group, const SensorFacts& sensor) {
  std::vector<std::string> whose = {group.program()};
  if (!group.is_common()) whose.insert(whose.end(), {group.instance(), std::to_string(group.pid())});
  const std::string part = group.group() + "/" + sensor.name;
  const auto is = [&](const std::string& text) { return fnmatch(pattern.c_str(), text.c_str(), FNM_PATHNAME) == 0; };
  if (is(sensor.name) || is(group.group()) || is(part)) return true;
  return std::any_of(whose.begin(), whose.end(), [&](const std::string& who) {
    return is(who) || is(who + "/" + group.group()) || is(who + "/" + part);
  });
}

}  // namespace maxlat::sensors
