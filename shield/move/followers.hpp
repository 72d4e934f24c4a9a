// SPDX-License-Identifier: MIT
//
// What a moved process has begun since: threads and processes in no line of the journal, which have their place in the
// shield from it, and go where it goes. One whose parent has ended is nobody's any more.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <maxlat/core/machine/tasks.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "journal/journal.hpp"

namespace maxlat::shield {

// The main thread of a process, for another one of its threads; else the process that has begun it.
std::optional<core::Task> parent_of(const core::Task& task, const Surface& surface);

class Followers {
 public:
  // REQUIRES: the journal lives longer.
  explicit Followers(const JournalContent& journal);
  // The line of the nearest above it that was moved; none: it is no follower.
  const Change* leader_of(const core::Task& task, const Surface& surface) const;
  bool are_possible() const { return !moved_.empty(); }

 private:
  using Thread = std::pair<pid_t, uint64_t>;  // its number, and when it began
  std::map<Thread, const Change*> moved_;
  std::set<Thread> older_;  // than the shield: it has a line for their masks
};

struct Follower {
  core::Task task;
  const Change* leader;  // a line of the journal
};
// All there are. REQUIRES: the journal lives longer.
std::vector<Follower> followers_now(const JournalContent& journal, const Surface& surface);

// Out of the shield's group, to where their leaders were. Before those come out themselves.
void bring_followers_out(const JournalContent& journal, Surface& surface);

}  // namespace maxlat::shield
