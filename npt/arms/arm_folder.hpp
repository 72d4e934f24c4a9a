// SPDX-License-Identifier: MIT
//
// A folder of its own for the things of one run's arm, and the list of what else must be undone, so that nothing is
// left behind: not by the destructor, and not for ever when npt was killed with SIGKILL.
//
//   /tmp/maxlat-npt-PID-STARTTIME/          mode 0700. The name says whose it is: the process with this number that was
//                                           started at this time (field 22 of /proc/PID/stat), and no later one.
//   .../journal                             one line for each thing outside of the folder, written BEFORE it is made:
//                                             unmount PATH
//                                             rmdir PATH                     (a tracefs instance)
//                                             write PATH TEXT                (removes a uprobe)
//                                             unload NAME                    (a kernel module)
//                                             unlink-unless-mapped PATH      (shared memory that others may have come
//                                             to use)
//
// undo() follows the journal from its end to its beginning, then removes the folder; it works the same for the living
// and the dead. Whoever makes a folder first undoes those of the dead that belong to the same user. Processes are not
// in the journal: core::Child's guard ends them at once, whatever our own end was.
//
// SECURITY: both places are everybody's. Only real folders that belong to the effective user are read; removal stays in
// one file system and follows no link.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace maxlat::npt {

// The two places: an arm's own, and that of traces that no disk shall slow down (compare/trial_traces.hpp).
inline constexpr const char* kUsualPlace = "/tmp";
inline constexpr const char* kMemoryForTraces = "/dev/shm";

class ArmFolder {
 public:
  // `parent` is one of the two but in tests. ERRORS: the folder cannot be made (full disk, no permission).
  static core::Result<ArmFolder> make(const std::string& parent = kUsualPlace);
  ArmFolder(ArmFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ArmFolder& operator=(ArmFolder&&) = delete;
  ~ArmFolder();

  const std::string& path() const { return path_; }
  // A line of the journal; on disk when it returns.
  core::Status note(std::string_view line) const;
  // A folder within.
  core::Result<std::string> make_inner(const std::string& name) const;

 private:
  explicit ArmFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Undoes what dead processes of this user left in `parent`. Called by make(); for the usual place it looks into the
// other one, too, where a killed search may have been the only one to come.
void undo_arms_of_the_dead(const std::string& parent);

}  // namespace maxlat::npt
