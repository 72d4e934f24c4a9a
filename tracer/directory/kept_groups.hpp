// SPDX-License-Identifier: MIT
//
// The books of a directory: which groups it has, whose they are, who may see them, and which have ended.
//
// A process is known by a descriptor of its own (pidfd), which says when it has ended; a number may be another
// process's by then. A common group has several, and ends with the last of them. A group belongs to the user who handed
// it over. Of each user so many programs that have ended are kept and no more, so that a program which dies again and
// again, or a user who wishes the others ill, cannot fill the machine's memory.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <maxlat/base/owned.hpp>
#include <maxlat/sensors/directory.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <string>
#include <vector>

namespace maxlat::sensors::detail {

constexpr std::size_t kMostGroups = 1024;  // of each user, that run; and as many that have ended

struct KeepLimits {
  std::size_t programs = 64;                 // that have ended, of each user
  std::uint64_t ended_bytes = 256ull << 20;  // of each user
  std::uint64_t bytes = 1ull << 30;          // of each user, running and ended
  std::uint64_t all_bytes = 4ull << 30;      // of all users together
};

// Who asks.
struct Peer {
  pid_t pid = 0;  // 0: it is in a PID namespace that cannot be seen from here
  uid_t user = static_cast<uid_t>(-1);
  std::vector<gid_t> groups{};
};

constexpr std::size_t kMostProcesses = 4096;  // of all common groups of a user
constexpr int kMostOfAName = 16;              // common groups of a user with one name: each is looked at

struct ProcessOfGroup {
  pid_t pid = 0;
  base::Descriptor process;
};

// The view itself is not kept: a group may have thousands of sensors, which the directory does not look at.
struct KeptGroup {
  std::string program, group;
  std::array<std::uint8_t, 16> uuid{};
  pid_t pid = 0;              // of a common group: 0, and
  std::uint64_t started = 0;  // its process: 0
  uid_t owner = 0;
  std::uint64_t bytes = 0;                // which the memory may have at most: it cannot grow
  base::Descriptor memory;                // for reading
  std::vector<ProcessOfGroup> processes;  // none: it has ended
  std::uint64_t ended = 0;                // 0: it has not; else a number that grows with each that ends
  std::uint64_t ended_ns = 0;             // of the wall clock
};

class KeptGroups {
 public:
  KeptGroups(const KeepLimits& limits, std::vector<DirectoryRule> rules) : limits_(limits), rules_(std::move(rules)) {}

  // From that process, of that user. RETURNS: false: it is here already, it is not made as a group is, it is of a
  // process that runs and is another, or there are too many bytes. Of too many groups the oldest goes.
  bool take(const GroupView& group, pid_t pid, uid_t owner);
  void set_rules(std::vector<DirectoryRule> rules) { rules_ = std::move(rules); }
  // A common group, which that process wants to have. RETURNS: the one that it is to have: one of this owner that is
  // called and made so and has not ended, or else this one. Null: as take(), or the process cannot be watched.
  const KeptGroup* share(const GroupView& group, pid_t pid, uid_t owner);
  // That process did not get it.
  void leave(const std::array<std::uint8_t, 16>& uuid, pid_t pid);
  // One of its processes is not there any more.
  void end(std::uint64_t serial, pid_t pid);
  // The next that the peer may see. RETURNS: null: no more.
  const std::pair<const std::uint64_t, KeptGroup>* next(std::uint64_t after, bool running, const Peer& peer) const;
  // Only its owner, or root.
  bool forget(const std::array<std::uint8_t, 16>& uuid, pid_t pid, const Peer& peer);
  std::size_t of_the_ended() const;

  // By serial numbers, from 1 on, which are never used again.
  const std::map<std::uint64_t, KeptGroup>& all() const { return all_; }

 private:
  bool may_see(const KeptGroup& kept, const Peer& peer) const;
  const KeptGroup* take_common(const GroupView& group, pid_t pid, uid_t owner,
                               const std::function<bool(const KeptGroup&)>& is_it);
  bool add(const GroupView& group, pid_t pid, uid_t owner, std::vector<ProcessOfGroup> processes);
  void note_end(KeptGroup& kept);
  std::size_t processes_of(uid_t owner) const;  // in common groups
  std::uint64_t room_for(uid_t owner) const;
  void drop_the_oldest_of(uid_t owner);

  KeepLimits limits_;
  std::vector<DirectoryRule> rules_;
  std::map<std::uint64_t, KeptGroup> all_;
  std::uint64_t taken_ = 0;
  std::uint64_t ended_ = 0;
};

}  // namespace maxlat::sensors::detail
