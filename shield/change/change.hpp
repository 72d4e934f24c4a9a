// SPDX-License-Identifier: MIT
//
// One change of the machine, as it stands in the journal: enough to make it, to see what became of it, and to undo it,
// by another process, after a crash.
//
//   file        path holds `before`, and shall hold `wanted`
//   kept        path holds `before`, loses it for a moment, and shall hold it again
//   controller  path is a cgroup's subtree_control: the controller `wanted` is switched on
//   mount       nothing was mounted at `path`, and a file system of the kind `wanted` shall be
//   folder      path is a cgroup that we make. Undone, the threads in it go to its parent
//   inside      path is a file of such a cgroup, which shall hold `wanted`. It goes with its group
//   slices      a unit of systemd's has the CPUs `before` ("user.slice=0-2!"), and shall have `wanted` (slices.hpp)
//   affinity    thread `task` may use the CPUs `before`, and shall use `wanted`
//   moved       thread `task` was in the group `path`, with the CPUs `before`, and shall be in the shield, whose CPUs
//               are `wanted` (moved_change.hpp)
//   returned    nothing: the thread that stands above as moved is out again
//   paused      process `task` is stopped, and goes on when the shield goes off (paused_change.hpp)
//   keeper      process `task` holds something open for as long as it lives (keeper.hpp)
//   refused     nothing: the change of this path or task that stands above was not taken
//   complete    nothing: all changes of the shield stand above this line
//
// A thread or process is meant by its number and its start time together, for numbers come back.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <maxlat/core/machine/tasks.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "surface.hpp"

namespace maxlat::shield {

struct Change {
  enum class Kind {
    file,
    kept,
    mount,
    controller,
    folder,
    inside,
    slices,
    affinity,
    moved,
    returned,
    paused,
    keeper,
    refused,
    complete
  } kind = Kind::file;
  std::string path{};
  std::string before{}, wanted{};
  pid_t task = 0;
  uint64_t started = 0;  // clock ticks since boot, as /proc/PID/stat has them
  std::string name{};    // of the task; of a mask that is kept, the CPUs that go away for that moment

  bool operator==(const Change&) const = default;
};

// "governor of CPU 3" is not known here: the path, the cgroup, or the thread's name and number.
std::string to_string(const Change& change);

// Whether the machine is another by it. Not so by what is kept, and by a mask that was right already.
bool changes_something(const Change& change);

// One line of JSON, and back. Nothing when it is none of ours.
std::string to_json(const Change& change);
std::optional<Change> change_from_json(std::string_view text);

enum class Standing {
  ours,       // as we made it
  as_before,  // never made, or undone already
  other,      // somebody has changed it since
  shared,     // as we made it, and others have come to rely on it
  gone,       // the thread has ended, the file is not there any more
  unknown,    // it cannot be read now: systemd does not answer
};
// The thread that it is of; nothing when that has ended, whoever has its number since.
std::optional<core::Task> task_of(const Change& change, const Surface& surface);

Standing standing(const Change& change, const Surface& surface);
// Whether it is as we made it. That may be as it was before, too: a mask that differs in a CPU that is offline now. And
// a thread that was kept off the shield may be inside by now: whoever sends it into the shield's group wants it there.
// `now` is its standing(), which may cost a call of systemctl.
bool stands(const Change& change, Standing now, const Surface& surface);

// Whether two masks differ in offline CPUs alone. Who shrinks one of two to what is online has to shrink the other.
bool same_online(const core::CpuList& one, const core::CpuList& other, const core::CpuList& online);

core::Status apply(const Change& change, Surface& surface);
// REQUIRES: standing() is ours, other, shared or unknown. Whether it is undone, standing() tells.
core::Status undo(const Change& change, Surface& surface);

// The same of several, each by itself, but for systemd's units: it is asked for all of them at once.
std::vector<Standing> standings(std::span<const Change> changes, const Surface& surface);
std::vector<core::Status> apply(std::span<const Change> changes, Surface& surface);
std::vector<core::Status> undo(std::span<const Change> changes, Surface& surface);

}  // namespace maxlat::shield
