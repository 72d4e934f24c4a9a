// SPDX-License-Identifier: MIT
//
// Disk: writes 256 KiB and waits until it is on the medium, over and over, in a file without a name, so that
// nothing is left behind whoever dies. The file is written round and round and never grows beyond 64 MiB a worker.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <maxlat/loadgen/load_definition.hpp>
#include <vector>

#include "scratch.hpp"

namespace maxlat::loadgen {
namespace {

constexpr size_t kWrite = 256 << 10;
constexpr off_t kLargestFile = 64 << 20;

core::Status write_and_sync(WorkerSlot& slot, const std::string& directory) {
  const auto file = core::file_without_a_name(directory);
  if (!file) return file.error();
  const std::vector<char> block(kWrite, 'm');
  for (off_t at = 0;; at = (at + static_cast<off_t>(kWrite)) % kLargestFile) {
    const ssize_t written = pwrite(file->number(), block.data(), kWrite, at);
    if (written <= 0) return core::system_error("cannot write a temporary file in " + directory, errno);
    if (fdatasync(file->number()) != 0)
      return core::system_error("cannot sync a temporary file in " + directory, errno);
    slot.add(static_cast<uint64_t>(written));
  }
}

core::Result<LoadPlan> plan_of_disk(std::string_view argument, const core::CpuList& cpus) {
  const std::string directory = argument.empty() ? scratch_directory() : std::string(argument);
  if (access(directory.c_str(), W_OK | X_OK) != 0)
    return core::system_error(fmt::format("cannot write in '{}'", directory), errno, "name another: disk:DIRECTORY");
  return one_worker_per_cpu("disk", cpus, [directory](WorkerSlot& slot) { return write_and_sync(slot, directory); });
}

}  // namespace

extern const LoadDefinition kDiskLoad = {
    .kind = {"disk", "[:DIRECTORY]", "writes and syncs (TMPDIR or /var/tmp), at most 64 MiB a CPU", true},
    .unit = "MiB/s",
    .scale = 1.0 / (1 << 20),
    .plan = plan_of_disk,
};

}  // namespace maxlat::loadgen
