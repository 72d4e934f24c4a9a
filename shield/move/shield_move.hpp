// SPDX-License-Identifier: MIT
//
// Processes that run already, sent into a shield that is on, with all their threads, and out of it again. Lines of the
// journal tell where each thread was: off() gives it that back. What such a process begins later goes with it
// (followers.hpp).
#pragma once

#include <sys/types.h>

#include <maxlat/shield/shield.hpp>
#include <string>
#include <vector>

#include "change/surface.hpp"
#include "journal/journal.hpp"

namespace maxlat::shield {

struct MovedProcess {
  pid_t number = 0;
  std::string name;
  size_t threads = 0;                  // that were moved
  std::vector<std::string> refused{};  // why others were not
};

struct MoveReport {
  core::CpuList cpus;
  std::vector<MovedProcess> processes;
  bool is_whole() const;  // nothing was refused
};

// Nothing is changed where one of them cannot go in. ERRORS: no shield is on, or one that is damaged, not complete or
// held; no such process, or one that nobody may move; the journal cannot be written.
core::Result<MoveReport> shield_move_in(const std::string& journal, const std::vector<pid_t>& processes,
                                        Surface& surface);
// To where each of them was. ERRORS: the same; one of them was not moved in.
core::Result<MoveReport> shield_move_out(const std::string& journal, const std::vector<pid_t>& processes,
                                         Surface& surface);

// The threads that were moved in and are inside, and those that they have begun there.
std::vector<core::Task> threads_moved_in(const JournalContent& journal, const Surface& surface);

}  // namespace maxlat::shield
