// SPDX-License-Identifier: MIT
//
// Ranks, for the tests that know values by them alone: signed ranks, Mann-Whitney, changes in a series.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace maxlat::core {

// Twice the rank of each value, from 2 for the least. Tied values share the middle of their ranks, so that twice a rank
// is a whole number where they are tied, too.
std::vector<std::size_t> doubled_mid_ranks(std::span<const double> values);

}  // namespace maxlat::core
