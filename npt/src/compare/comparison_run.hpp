// SPDX-License-Identifier: MIT
//
// A comparison from its first round to its verdicts (docs/method.md says why it is done so).
//
//   round 1   none  maxlat:timer  none (again)  maxlat:wakeup      every arm once, in random order
//   round 2   maxlat:wakeup  none  maxlat:timer  none (again)      from the seed
//   ...
//
// The first arm is the base. Its second run in each round, "(again)", is not asked for by anyone: what the base differs
// from itself is the noise floor of every difference.
//
// INVARIANTS, each with a test in comparison_run_test.cpp
//   (1) Only complete rounds count: what was measured of a round that was interrupted is dropped for every arm, so all
//       arms have the same rounds.
//   (2) An arm that is skipped, fails or is not valid in one round is out: it runs no more, its phase says why, and it
//       is not compared. The others go on without it. When it is the base, nothing can be compared and all ends.
//   (3) The samples of an arm's phase are those of its rounds together; so are its events.
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/core/run_result.hpp>
#include <string>
#include <vector>

namespace maxlat::npt {

struct ComparisonPlan {
  std::vector<std::string> arms;  // as --arm takes them; the first is the base. REQUIRES: two or more
  unsigned rounds = 8;
  std::uint64_t seed = 0;
  std::string name = "tracers";  // Phase::comparison
};

// Runs an arm once (arm_process.hpp).
using RunArm = std::function<core::Phase(const std::string& arm)>;
// Told before each run: which round (from 1), which arm, how many runs are done of how many.
using OnRun = std::function<void(unsigned round, const std::string& arm, std::size_t done, std::size_t of)>;

struct ComparedArms {
  std::vector<core::Phase> phases;            // base, base again, the others as asked
  std::vector<core::Comparison> comparisons;  // of each valid arm against the base
  unsigned complete_rounds = 0;
  bool interrupted = false;
};

ComparedArms compare_arms(const ComparisonPlan& plan, const RunArm& run_arm, const OnRun& on_run = {});

// How each arm is called, in the order of ComparedArms::phases: "none", "none (again)", "maxlat:timer"; an arm that was
// asked for twice is "none (2)" the second time.
std::vector<std::string> arm_labels(const std::vector<std::string>& arms);

}  // namespace maxlat::npt
