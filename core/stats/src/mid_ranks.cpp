// SPDX-License-Identifier: MIT
#include "mid_ranks.hpp"

#include <algorithm>
#include <numeric>

namespace maxlat::core {

std::vector<std::size_t> doubled_mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size()), ranks(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = first + 1 + end;  // the first rank and the last
    first = end;
  }
  return ranks;
}

}  // namespace maxlat::core
