// SPDX-License-Identifier: MIT
#include "line_count.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

namespace maxlat::npt {

uint64_t count_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 20);
  uint64_t lines = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    lines += static_cast<uint64_t>(std::count(block.begin(), block.begin() + file.gcount(), '\n'));
  return lines;
}

}  // namespace maxlat::npt
