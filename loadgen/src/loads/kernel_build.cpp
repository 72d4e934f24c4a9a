// SPDX-License-Identifier: MIT
//
// A real kernel build, out of tree: the source is only read, the objects go to a folder of our own that is removed at
// the end, also when the orchestrator was killed. defconfig, because it compiles, links and writes for minutes; twice
// as many jobs as CPUs (rteval's figure), so that a job that waits for the disk leaves no CPU idle.
#include <fmt/format.h>

#include <filesystem>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <string>
#include <system_error>

#include "keeper.hpp"
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
  if (argument.empty()) return core::Error{"load kernel needs a source tree", "for example: kernel:/usr/src/linux"};
  std::error_code code;
  const std::string source = std::filesystem::absolute(argument, code).string();
  if (!std::filesystem::is_directory(source, code))
    return core::Error{fmt::format("cannot build a kernel in '{}': no such directory", argument),
                       "unpack a kernel source there, or name another load"};
  if (!std::filesystem::exists(source + "/Makefile", code))
    return core::Error{fmt::format("cannot build a kernel in '{}': it has no Makefile", argument),
                       "give the top directory of a kernel source tree"};
  if (core::Status found = require_program("make", "make"); !found) return found.error();

  const std::string jobs = fmt::format("-j{}", 2 * cpus.size());
  return plan_with_keeper("kernel", fmt::format("make -C {} O=TEMPORARY defconfig, then {}", source, jobs), cpus,
                          [source, jobs](WorkerSlot& slot) -> core::Status {
                            const auto objects =
                                core::TemporaryFolder::make(scratch_directory(), "maxlat-kernel-build");
                            if (!objects) return objects.error();
                            return keep_rounds(rounds_in(source, objects->path(), jobs), slot);
                          });
}

}  // namespace

extern const LoadDefinition kKernelBuildLoad = {
    .kind = {"kernel", ":DIRECTORY", "a real kernel build, out of tree, again and again", false},
    .unit = kCpuTimeUnit,
    .scale = kCpuTimeScale,
    .plan = plan_of_kernel_build,
};

}  // namespace maxlat::loadgen
