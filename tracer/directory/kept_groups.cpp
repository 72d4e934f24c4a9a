// SPDX-License-Identifier: MIT
#include "directory/kept_groups.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <maxlat/base/moment.hpp>
#include <maxlat/base/process_start.hpp>
#include <optional>
#include <set>

#include "sensors/group_layout.hpp"

namespace maxlat::sensors::detail {
namespace {

// The process that made this group: none has ended. RETURNS: nothing: it is another one, or cannot be watched.
std::optional<base::Descriptor> process_of(std::uint64_t started, pid_t pid) {
  base::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process) return errno == ESRCH ? std::optional(base::Descriptor()) : std::nullopt;
  pollfd over{process.number(), POLLIN, 0};
  if (poll(&over, 1, 0) == 1) return base::Descriptor();  // nobody has asked yet how it ended
  // Behind the descriptor: it and the start are of one process, or the start would be of a later one.
  if (base::start_time_of(pid) != started) return std::nullopt;
  return process;
}

// Written to by the processes of that user, and by no other user's who comes by it.
bool is_owners(const GroupView& group, uid_t owner) {
  struct stat file {};
  return fstat(group.memory_fd(), &file) == 0 && file.st_uid == owner && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// How much memory that may take, whatever its header says. RETURNS: 0: more than a group, or it could grow.
std::uint64_t bytes_of(const GroupView& group) {
  constexpr int kNeeded = F_SEAL_SHRINK | F_SEAL_GROW;
  struct stat file {};
  struct statfs system {};
  const int fd = group.memory_fd();
  if ((fcntl(fd, F_GET_SEALS) & kNeeded) != kNeeded || fstat(fd, &file) != 0 || fstatfs(fd, &system) != 0) return 0;
  const auto bytes = static_cast<std::uint64_t>(file.st_size);
  return system.f_type == TMPFS_MAGIC && bytes <= kLargestGroup ? bytes : 0;  // not of large pages
}

}  // namespace

std::uint64_t KeptGroups::room_for(uid_t owner) const {
  std::uint64_t theirs = 0, all = 0;
  for (const auto& [serial, kept] : all_) {
    all += kept.bytes;
    if (kept.owner == owner) theirs += kept.bytes;
  }
  return std::min(limits_.bytes - std::min(limits_.bytes, theirs),
                  limits_.all_bytes - std::min(limits_.all_bytes, all));
}

bool KeptGroups::take(const GroupView& group, pid_t pid, uid_t owner) {
  if (group.is_common()) {
    const auto is_it = [&](const KeptGroup& kept) { return kept.uuid == group.uuid(); };
    return take_common(group, pid, owner, is_it) != nullptr;
  }
  std::optional<base::Descriptor> process = process_of(group.pid_start_time(), pid);
  if (!process) return false;
  std::vector<ProcessOfGroup> processes;
  if (*process) processes.push_back({pid, std::move(*process)});
  return add(group, pid, owner, std::move(processes));
}

const KeptGroup* KeptGroups::share(const GroupView& group, pid_t pid, uid_t owner) {
  int looked_at = 0;
  const KeptGroup* const had = take_common(group, pid, owner, [&](const KeptGroup& kept) {
    if (kept.group != group.group() || ++looked_at > kMostOfAName) return false;
    const base::Result<GroupView> view = GroupView::attach(kept.memory.number());
    return view && view->is_made_as(group);
  });
  // What it has made itself may have been found with it, while it waited for the answer.
  if (had != nullptr && had->uuid != group.uuid())
    std::erase_if(all_, [&](const auto& each) {
      return each.second.owner == owner && each.second.pid == 0 && each.second.uuid == group.uuid();
    });
  return had;
}

std::size_t KeptGroups::processes_of(uid_t owner) const {
  std::size_t count = 0;
  for (const auto& [serial, kept] : all_)
    if (kept.owner == owner && kept.pid == 0) count += kept.processes.size();
  return count;
}

void KeptGroups::leave(const std::array<std::uint8_t, 16>& uuid, pid_t pid) {
  for (auto& [serial, kept] : all_)
    if (kept.pid == 0 && kept.uuid == uuid)
      std::erase_if(kept.processes, [&](const ProcessOfGroup& each) { return each.pid == pid; });
  std::erase_if(all_, [&](const auto& each) {
    const KeptGroup& kept = each.second;
    return kept.pid == 0 && kept.uuid == uuid && kept.ended == 0 && kept.processes.empty();
  });
}

const KeptGroup* KeptGroups::take_common(const GroupView& group, pid_t pid, uid_t owner,
                                         const std::function<bool(const KeptGroup&)>& is_it) {
  std::optional<base::Descriptor> process = process_of(base::start_time_of(pid), pid);
  if (!process || !*process || !is_owners(group, owner) || processes_of(owner) >= kMostProcesses) return nullptr;
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& each) {
    const KeptGroup& kept = each.second;
    return kept.owner == owner && kept.ended == 0 && kept.pid == 0 && is_it(kept);
  });
  std::vector<ProcessOfGroup> processes;
  processes.push_back({pid, std::move(*process)});
  if (found == all_.end()) return add(group, 0, owner, std::move(processes)) ? &all_.rbegin()->second : nullptr;
  std::vector<ProcessOfGroup>& theirs = found->second.processes;
  const bool is_in = std::any_of(theirs.begin(), theirs.end(), [&](const auto& each) { return each.pid == pid; });
  if (!is_in) theirs.push_back(std::move(processes.front()));
  return &found->second;
}

bool KeptGroups::add(const GroupView& group, pid_t pid, uid_t owner, std::vector<ProcessOfGroup> processes) {
  const std::uint64_t bytes = bytes_of(group);
  if (bytes == 0 || bytes > room_for(owner)) return false;
  std::size_t running = 0;
  std::uint64_t oldest = 0;
  for (const auto& [serial, kept] : all_) {
    if (kept.owner != owner) continue;
    if (kept.uuid == group.uuid() && kept.pid == pid) return false;
    if (kept.ended != 0) continue;
    if (running++ == 0) oldest = serial;
  }
  base::Descriptor memory(fcntl(group.memory_fd(), F_DUPFD_CLOEXEC, 0));
  if (!memory) return false;
  if (running >= kMostGroups) all_.erase(oldest);  // withdrawn, most likely: nobody tells us
  const bool has_ended = processes.empty();
  const std::uint64_t serial = ++taken_;
  all_.emplace(serial, KeptGroup{.program = group.program(),
                                 .group = group.group(),
                                 .uuid = group.uuid(),
                                 .pid = pid,
                                 .started = group.pid_start_time(),
                                 .owner = owner,
                                 .bytes = bytes,
                                 .memory = std::move(memory),
                                 .processes = std::move(processes)});
  if (has_ended) note_end(all_.at(serial));
  return true;
}

void KeptGroups::end(std::uint64_t serial, pid_t pid) {
  KeptGroup& kept = all_.at(serial);
  std::erase_if(kept.processes, [&](const ProcessOfGroup& each) { return each.pid == pid; });
  if (kept.processes.empty()) note_end(kept);
}

void KeptGroups::note_end(KeptGroup& kept) {
  kept.ended = ++ended_;
  kept.ended_ns = base::clock_ns(CLOCK_REALTIME);
  drop_the_oldest_of(kept.owner);
}

void KeptGroups::drop_the_oldest_of(uid_t owner) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> of_the_ended;  // when, and which
  for (const auto& [serial, kept] : all_)
    if (kept.owner == owner && kept.ended != 0) of_the_ended.emplace_back(kept.ended, serial);
  std::sort(of_the_ended.rbegin(), of_the_ended.rend());  // the last that ended first
  std::set<std::pair<int, std::uint64_t>> programs;
  std::uint64_t groups = 0, bytes = 0;
  for (const auto& [when, serial] : of_the_ended) {
    const auto kept = all_.find(serial);
    programs.emplace(kept->second.pid, kept->second.started);
    bytes += kept->second.bytes;
    if (programs.size() > limits_.programs || ++groups > kMostGroups || bytes > limits_.ended_bytes) all_.erase(kept);
  }
}

bool KeptGroups::may_see(const KeptGroup& kept, const Peer& peer) const {
  if (peer.user == 0 || peer.user == kept.owner) return true;
  const std::string name = kept.program + "/" + kept.group;
  return std::any_of(rules_.begin(), rules_.end(), [&](const DirectoryRule& rule) {
    const bool is_meant = rule.user ? *rule.user == peer.user
                          : rule.users
                              ? std::find(peer.groups.begin(), peer.groups.end(), *rule.users) != peer.groups.end()
                              : true;
    return is_meant && fnmatch(rule.pattern.c_str(), name.c_str(), FNM_PATHNAME) == 0;
  });
}

const std::pair<const std::uint64_t, KeptGroup>* KeptGroups::next(std::uint64_t after, bool running,
                                                                  const Peer& peer) const {
  for (auto each = all_.upper_bound(after); each != all_.end(); ++each)
    if ((!running || each->second.ended == 0) && may_see(each->second, peer)) return &*each;
  return nullptr;
}

bool KeptGroups::forget(const std::array<std::uint8_t, 16>& uuid, pid_t pid, const Peer& peer) {
  for (auto each = all_.begin(); each != all_.end(); ++each) {
    const KeptGroup& kept = each->second;
    if (kept.uuid != uuid || kept.pid != pid || (peer.user != 0 && peer.user != kept.owner)) continue;
    all_.erase(each);
    return true;
  }
  return false;
}

std::size_t KeptGroups::of_the_ended() const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [](const auto& each) { return each.second.ended != 0; }));
}

}  // namespace maxlat::sensors::detail
