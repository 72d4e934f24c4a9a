// SPDX-License-Identifier: MIT
//
// What is compared: an arm traces n events of 0, 1, 3 or 8 fields of 64 bits, back to back, in one way. Every arm has
// events of its own, so all can be enabled at once and run in turns.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace maxlat::bench {

inline constexpr std::array<int, 4> kFieldCounts{0, 1, 3, 8};

struct Arm {
  const char* name;
  using Run = void (*)(std::uint64_t events);
  std::array<Run, kFieldCounts.size()> run;
  bool lttng = false;

  Run with_three_fields() const { return run[2]; }
};

// Both in the order in which they are printed.
std::vector<Arm> maxlat_arms();
std::vector<Arm> lttng_arms();

}  // namespace maxlat::bench
