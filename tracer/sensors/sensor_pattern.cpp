// SPDX-License-Identifier: MIT
#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <maxlat/sensors/monitor.hpp>

namespace maxlat::sensors {

bool matches(const std::string& pattern, const GroupView& group, const SensorFacts& sensor) {
  const std::string number = std::to_string(group.pid()), instance = group.program() + "#" + number;
  const std::string part = group.group() + "/" + sensor.name;
  const auto is = [&](const std::string& text) { return fnmatch(pattern.c_str(), text.c_str(), FNM_PATHNAME) == 0; };
  if (is(sensor.name) || is(group.group()) || is(part)) return true;
  const std::string* const whose[] = {&group.program(), &instance, &number};
  return std::any_of(std::begin(whose), std::end(whose), [&](const std::string* who) {
    return is(*who) || is(*who + "/" + group.group()) || is(*who + "/" + part);
  });
}

}  // namespace maxlat::sensors
