// SPDX-License-Identifier: MIT
//
// In what the machines of two runs differ, by the groups of their fingerprints.
#pragma once

#include <cstddef>
#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <vector>

namespace maxlat::core {

struct ValueDifference {
  std::string name;
  std::string here, there;  // empty: only the other has it
};

struct MachineDifference {
  std::string group;
  std::vector<ValueDifference> values;
  bool here_tells = true, there_tells = true;  // false: of the group nothing at all
};

// The groups that differ, in the order of the first; a group that only one of them has differs in all its values.
std::vector<MachineDifference> machine_differences(const std::vector<FingerprintGroup>& here,
                                                   const std::vector<FingerprintGroup>& there);
// "kernel: release is 6.1.0-27, was 6.1.0-25; and 2 further values". So many values are told, the first ones. What one
// of them does not tell at all is no value that differs: "kernel: is told, was not told".
std::string to_string(const MachineDifference& difference, size_t most = 1);
// "cpu: model name is A, was B; microcode is 1, was 2"
std::string with_all_values(const MachineDifference& difference);

}  // namespace maxlat::core
