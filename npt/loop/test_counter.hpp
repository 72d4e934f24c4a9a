// SPDX-License-Identifier: MIT
//
// For tests: a counter whose reads are a list. Past its end it goes on in steps of the last gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace maxlat::npt {

struct Script {
  std::vector<uint64_t> gaps;  // between consecutive reads
  uint64_t now = 0;            // the first read
  size_t reads = 0;
  uint64_t at(size_t i) const { return i < gaps.size() ? gaps[i] : gaps.back(); }
};

struct ScriptedCounter {
  Script* script;
  uint64_t read() const {
    const uint64_t value = script->now;
    script->now += script->at(script->reads++);
    return value;
  }
};

}  // namespace maxlat::npt
