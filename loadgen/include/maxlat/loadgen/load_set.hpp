// SPDX-License-Identifier: MIT
//
// Supervised loads: started together, watched once a second, stopped and reaped together.
//
// A load is named by a text, the same on the command line and in a plan: its name, and what follows a colon is its
// argument ("kernel:DIRECTORY"). `maxlat load --list` has them all, from loadgen/CMakeLists.txt.
//
// "The load died after ten seconds" is the commonest silent failure of a latency run: so each load reports progress
// every second (a built-in counts its own work; the others their CPU time and finished rounds), and a load that ended
// with an error, or made no progress for a stated time or to its end, is dead: LoadResult.alive is false with the
// reason, and the phase that ran under it is invalid.
//
// All loads run as SCHED_OTHER in processes of their own, bound to the given CPUs: one worker per CPU for the
// built-ins, the CPU list as a whole for the others. They die with the calling thread, also when that is killed.
//
// The processes are made by fork(). REQUIRES: start() is called before the caller starts threads and before it locks
// its memory: a fork makes the caller's writable pages copy-on-write, so a thread that is being measured would take a
// page fault at its next write to each of them (mlockall after the fork undoes that, mlockall before it does not
// prevent it).
//
// THREADS: a LoadSet belongs to one thread. Destroying it stops everything it started.
#pragma once

#include <chrono>
#include <cstdint>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::loadgen {

// No progress for this long: dead. It holds for every load, because a load without a unit of work of its own (a kernel
// build in its linking step, a long round of hackbench) is watched by its CPU time.
inline constexpr std::chrono::seconds kLongestPause{10};

// One load as of the last sample(), for progress lines.
struct LoadProgress {
  std::string name;
  std::string unit;
  double rate = 0;      // in `unit`, over the last second
  uint64_t rounds = 0;  // finished; 0 for built-ins, which have none
  bool alive = false;
  std::string reason;  // why not alive
};

class LoadSet {
 public:
  // Whether start() would find names, programs and folders. Starts nothing.
  static core::Status check(const std::vector<std::string>& loads, const core::CpuList& cpus);
  // No CPUs: every CPU this process may run on.
  // ERRORS: unknown name (hint: the list), program missing (hint: package), CPU not usable, a load that ends at once.
  static core::Result<LoadSet> start(const std::vector<std::string>& loads, const core::CpuList& cpus);
  LoadSet(LoadSet&&) noexcept;
  LoadSet& operator=(LoadSet&&) noexcept;
  ~LoadSet();

  void sample();           // call once a second: takes the progress and notices deaths; a dead load is stopped whole
  bool all_alive() const;  // as of the last sample()
  std::vector<LoadProgress> latest() const;  // as of the last sample()
  // Takes a last sample, stops everything, and tells what each load did. One that did nothing, or nothing in its last
  // tenth and for more than a few seconds, is dead.
  std::vector<core::LoadResult> stop();

 private:
  struct State;
  explicit LoadSet(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct LoadKind {
  std::string_view name;
  std::string_view argument;  // what may follow the name: "[:ARGS]", ":DIRECTORY", ""
  std::string_view about;
  bool built_in;
};
std::vector<LoadKind> load_kinds();

}  // namespace maxlat::loadgen
