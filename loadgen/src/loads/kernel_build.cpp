// SPDX-License-Identifier: MIT
//
// A real kernel build, out of tree: the source is only read, the objects go to a folder of our own that is removed at
// the end, also when the orchestrator was killed. defconfig, because it compiles, links and writes for minutes; twice
// as many jobs as CPUs (rteval's figure), so that a job that waits for the disk leaves no CPU idle.
#include <fmt/format.h>

#include <maxlat/core/sys/temporary_folder.hpp>
#include <string>

#include "keeper.hpp"
#include "loads/kernel_source.hpp"
#include "scratch.hpp"

namespace maxlat::loadgen {
namespace {

Rounds rounds_in(const std::string& source, const std::string& objects, const std::string& jobs) {
  const CommandLine make = {"make", "-C", source, "O=" + objects};
  const auto with = [&](const std::string& word) {
    CommandLine line = make;
    line.push_back(word);
    return line;
  };
  return {.once = {with("defconfig")}, .round = {with(jobs), with("clean")}};
}

core::Result<LoadPlan> plan_of_kernel_build(std::string_view argument, const core::CpuList& cpus) {
  const core::Result<std::string> tree = argument.empty() ? find_kernel_source("/usr/src") : kernel_source_at(argument);
  if (!tree) return tree.error();
  if (core::Status found = require_program("make", "make"); !found) return found.error();

  const std::string jobs = fmt::format("-j{}", 2 * cpus.size());
  return plan_with_keeper("kernel", fmt::format("make -C {} O=TEMPORARY defconfig, then {}", *tree, jobs), cpus,
                          [source = *tree, jobs](WorkerSlot& slot) -> core::Status {
                            const auto objects =
                                core::TemporaryFolder::make(scratch_directory(), "maxlat-kernel-build");
                            if (!objects) return objects.error();
                            return keep_rounds(rounds_in(source, objects->path(), jobs), slot);
                          });
}

}  // namespace

extern const LoadDefinition kKernelBuildLoad = {
    .kind = {"kernel", "[:DIRECTORY]", "a real kernel build, out of tree, again and again", false},
    .unit = kCpuTimeUnit,
    .scale = kCpuTimeScale,
    .plan = plan_of_kernel_build,
};

}  // namespace maxlat::loadgen
