// SPDX-License-Identifier: MIT
#include "round_order.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace maxlat::npt {
namespace {

// Uniform in [0, below): what lies in the last, incomplete stretch of the generator's range is drawn again.
std::uint64_t draw(std::mt19937_64& random, std::uint64_t below) {
  const std::uint64_t unfair = (UINT64_MAX - below + 1) % below;
  std::uint64_t value = random();
  while (value < unfair) value = random();
  return value % below;
}

}  // namespace

std::vector<std::vector<std::size_t>> round_orders(std::size_t arms, std::size_t rounds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::size_t>> orders(rounds, std::vector<std::size_t>(arms));
  for (std::vector<std::size_t>& order : orders) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = arms; left > 1; --left) std::swap(order[left - 1], order[draw(random, left)]);
  }
  return orders;
}

}  // namespace maxlat::npt
