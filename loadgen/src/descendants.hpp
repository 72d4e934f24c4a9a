// SPDX-License-Identifier: MIT
//
// The living children of a process, from /proc: what a keeper has adopted and must end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

namespace maxlat::loadgen {

std::vector<pid_t> children_of(pid_t parent);

// Kills and reaps every child of this process until there is none, for at most `limit`. REQUIRES: the caller is their
// subreaper, so that grandchildren become children as their parents go.
void end_all_children(std::chrono::milliseconds limit);

}  // namespace maxlat::loadgen
