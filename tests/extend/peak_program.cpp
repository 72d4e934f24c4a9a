// SPDX-License-Identifier: MIT
//
// A program that has peaks. Posts each number of its standard input to both, and answers "done".
#include <iostream>
#include <maxlat/sensors/group.hpp>

#include "peak.hpp"

struct OvenSensors {
  Peak heat{"heat", "us", 50};
  Peak load{"load", "", 10};
};
MAXLAT_SENSORS(oven, OvenSensors)

int main() {
  for (std::uint64_t value = 0; std::cin >> value;) {
    oven->heat.post(value);
    oven->load.post(value);
    std::cout << "done" << std::endl;
  }
}
