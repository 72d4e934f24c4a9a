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
// SEVERAL LOOKS AT ONE RUN. A process with windows tells traced and waiting windows apart, one with a limited rate the
// gaps with a tracepoint. Each look is carried through on its own: its rounds, its merged histogram, its phase for
// every arm, its differences from the base. The first is that with the tracepoints, all of them and as little else as
// there is: the gaps with a tracepoint, else the traced windows, else simply all gaps. The verdict on an arm is of that
// one; the others are marked as beside it.
//
// INVARIANTS, each with a test in comparison_run_test.cpp
//   (1) Only complete rounds count: what was measured of a round that was interrupted is dropped for every arm, so all
//       arms have the same rounds.
//   (2) An arm that is skipped, fails or is not valid in one round is out: it runs no more, its phase says why, and it
//       is not compared. The others go on without it. When it is the base, nothing can be compared and all ends.
//   (3) The samples of an arm's phase are those of its rounds together; so are its events.
//   (4) A look is compared where every round has it. Where one does not (it ended before its first waiting window), the
//       arm's first phase says so; where that is the look the verdict would be of, the arm is skipped in it.
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/core/result/run_result.hpp>
#include <string>
#include <vector>

namespace maxlat::npt {

struct ComparisonPlan {
  std::vector<std::string> arms;  // as --arm takes them; the first is the base. REQUIRES: two or more
  unsigned rounds = 8;
  std::uint64_t seed = 0;
  std::string name = "tracers";  // Phase::comparison
};

// Runs an arm once (arm_process.hpp: phases_of_arm). REQUIRES: a phase or more.
using RunArm = std::function<std::vector<core::Phase>(const std::string& arm)>;
// Told before each run: which round (from 1), which arm, how many runs are done of how many.
using OnRun = std::function<void(unsigned round, const std::string& arm, std::size_t done, std::size_t of)>;

struct ComparedArms {
  std::vector<core::Phase> phases;            // look by look: base, base again, the others as asked
  std::vector<core::Comparison> comparisons;  // look by look: of each valid arm against the base
  unsigned complete_rounds = 0;
  bool interrupted = false;
};

ComparedArms compare_arms(const ComparisonPlan& plan, const RunArm& run_arm, const OnRun& on_run = {});

// How each arm is called, in the order of the phases of a look: "none", "none (again)", "maxlat:timer"; an arm that was
// asked for twice is "none (2)" the second time.
std::vector<std::string> arm_labels(const std::vector<std::string>& arms);

}  // namespace maxlat::npt
