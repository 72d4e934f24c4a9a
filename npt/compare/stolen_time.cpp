// SPDX-License-Identifier: MIT
#include "stolen_time.hpp"

#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace maxlat::npt {

double stolen_time_s(const std::string& stat_file) {
  // cpu user nice system idle iowait irq softirq steal
  std::ifstream file(stat_file);
  std::string label;
  std::uint64_t ticks = 0;
  file >> label;
  for (int column = 0; column < 8; ++column) file >> ticks;
  if (!file || label != "cpu") return 0;
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace maxlat::npt
