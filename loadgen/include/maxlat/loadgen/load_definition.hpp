// SPDX-License-Identifier: MIT
//
// What a load is: a name, a unit of progress, and a plan of workers. Adding a load is one file in loads/ that defines
// one of these, and a row in loadgen/CMakeLists.txt (docs/where-to-change-what.md).
//
// A built-in's plan is one worker per CPU that counts its own work. A foreign command's plan is one worker, its keeper
// (src/keeper.hpp), which runs the command round after round and counts its CPU time and rounds.
//
// plan() only looks: it checks the argument and that programs and folders exist, and starts nothing. So a mistake in
// the last load of a list is found before the first one runs.
#pragma once

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/loadgen/load_set.hpp>
#include <maxlat/loadgen/worker_spec.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::loadgen {

struct LoadPlan {
  std::string command;  // as LoadResult has it: what runs, or "built-in"
  std::vector<WorkerSpec> workers;
};

struct LoadDefinition {
  LoadKind kind;
  std::string_view unit;  // of progress: work units times `scale` per second
  double scale = 1;
  // `argument` is what follows the colon, empty when there is none. REQUIRES: cpus not empty.
  core::Result<LoadPlan> (*plan)(std::string_view argument, const core::CpuList& cpus);
};

// In the order of `maxlat load --list`. Another program may add its own before it starts anything.
std::vector<const LoadDefinition*>& load_table();

struct NamedLoad {
  const LoadDefinition* definition;
  std::string argument;
};
// "stress-ng:--vm 2" -> its row and "--vm 2". ERRORS: unknown name, an argument where none is taken.
core::Result<NamedLoad> find_load(std::string_view text);

// One worker per CPU, each doing work(slot).
LoadPlan one_worker_per_cpu(std::string_view name, const core::CpuList& cpus, const Work& work);

}  // namespace maxlat::loadgen
