// SPDX-License-Identifier: MIT
#include <fnmatch.h>

#include <algorithm>
#include <maxlat/sensors/monitor.hpp>
#include <vector>

namespace maxlat::sensors {

bool matches(const std::string& pattern, const GroupView& group, const SensorFacts& sensor) {
  std::vector<std::string> whose = {group.program()};
  if (!group.is_common()) whose.insert(whose.end(), {group.instance(), std::to_string(group.pid())});
  const std::string id = "#" + std::to_string(sensor.id);  // no name begins so
  const auto is = [&](const std::string& text) { return fnmatch(pattern.c_str(), text.c_str(), FNM_PATHNAME) == 0; };
  const auto is_sensor = [&](const std::string& before) { return is(before + sensor.name) || is(before + id); };
  if (is_sensor("") || is(group.group()) || is_sensor(group.group() + "/")) return true;
  return std::any_of(whose.begin(), whose.end(), [&](const std::string& who) {
    const std::string whole = who + "/" + group.group();
    return is(who) || is(whole) || is_sensor(whole + "/");
  });
}

}  // namespace maxlat::sensors
