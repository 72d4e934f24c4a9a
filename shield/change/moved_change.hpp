// SPDX-License-Identifier: MIT
//
// A thread that a person has sent into the shield (maxlat shield move), as a change: where it was, and that it is
// inside. Where the shield has a cpuset, a thread is inside while it is in that group, whatever mask it gives itself
// there. A shield that is made of affinities alone has no inside but its CPUs.
//
// A process goes in, and comes back, as a whole: the kernel moves all of its threads in one step, those too that have
// begun a moment ago. So each of its lines does the same, and the first that is made or undone has done it for all.
#pragma once

#include "change.hpp"

namespace maxlat::shield {

// In the shield's group.
bool is_in_group_of_shield(const core::Task& task, const Surface& surface);
// The group of the shield, or where the thread has to be to be none of it: "/sys/fs/cgroup/user.slice"; empty: no
// cpusets here.
std::string group_of(const core::Task& task, const Surface& surface);

Standing moved_standing(const Change& change, const Surface& surface);
// Whether it is inside.
bool moved_stands(const Change& change, const Surface& surface);
core::Status moved_apply(const Change& change, Surface& surface);
core::Status moved_undo(const Change& change, Surface& surface);

// A process to the group `path`, with all its threads; where that is not there any more, or does not take it: out of
// the shield.
core::Status bring_out(const core::Task& task, const std::string& path, Surface& surface);

}  // namespace maxlat::shield
