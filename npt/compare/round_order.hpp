// SPDX-License-Identifier: MIT
//
// The order of the arms within each round of a comparison: random, so that no arm always follows the same one or always
// comes while the machine is warm; from a seed, so that it can be had again. The same seed gives the same order on
// every machine and with every standard library (std::shuffle does not promise that).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maxlat::npt {

// orders[round][place] is the arm, 0 to arms - 1.
std::vector<std::vector<std::size_t>> round_orders(std::size_t arms, std::size_t rounds, std::uint64_t seed);

}  // namespace maxlat::npt
