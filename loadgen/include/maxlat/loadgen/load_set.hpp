// SPDX-License-Identifier: MIT
//
// Supervised loads: started together, watched once a second, stopped and reaped together.
//
// A load is named by a text, the same on the command line and in a plan:
//
//   hackbench[:ARGS]        hackbench from rt-tests, started again whenever a round ends
//   stress-ng:ARGS          stress-ng with these arguments
//   kernel:DIRECTORY        a real kernel build in a source tree (out of tree, cleaned between rounds)
//   command:WORDS           any command, started again when it ends with status 0
//   cpu cache memory timers fork disk network      built in, for boxes that have none of the above
//
// "The load died after ten seconds" is the commonest silent failure of a latency run: so each load reports progress every
// second (a built-in counts its own work; the others their CPU time and finished rounds), and a load that ended with an
// error, or made no progress for a stated time, is dead: LoadResult.alive is false with the reason, and the phase that
// ran under it is invalid.
//
// THREADS: a LoadSet belongs to one thread. Destroying it stops everything it started.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <maxlat/core/cpu_list.hpp>
#include <maxlat/core/result.hpp>
#include <maxlat/core/run_result.hpp>

namespace maxlat::loadgen {

class LoadSet {
 public:
  // ERRORS: unknown name (hint: the list), program missing (hint: package), a load that ends at once.
  static core::Result<LoadSet> start(const std::vector<std::string>& loads, const core::CpuList& cpus);
  LoadSet(LoadSet&&) noexcept;
  LoadSet& operator=(LoadSet&&) noexcept;
  ~LoadSet();

  void sample();           // call once a second: takes the progress, restarts rounds, notices deaths
  bool all_alive() const;  // as of the last sample()
  // Takes a last sample, stops everything, and tells what each load did.
  std::vector<core::LoadResult> stop();

 private:
  struct State;
  explicit LoadSet(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct LoadKind {
  std::string_view name;
  std::string_view about;
  bool built_in;
};
const std::vector<LoadKind>& load_kinds();

}  // namespace maxlat::loadgen
