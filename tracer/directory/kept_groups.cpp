// SPDX-License-Identifier: MIT
#include "directory/kept_groups.hpp"

#include <fnmatch.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <maxlat/base/moment.hpp>
#include <maxlat/base/process_start.hpp>
#include <optional>
#include <set>

namespace maxlat::sensors::detail {
namespace {

// The process that made this group: none has ended. RETURNS: nothing: it is not this one, or cannot be watched.
std::optional<base::Descriptor> process_of(const GroupView& group, pid_t pid) {
  base::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  // Behind the descriptor: it and the start are of one process, or the start would be of a later one.
  const std::uint64_t started = base::start_time_of(pid);
  if (started == 0) return base::Descriptor();
  if (!process || started != group.pid_start_time()) return std::nullopt;
  return process;
}

}  // namespace

bool KeptGroups::take(GroupView group, pid_t pid, uid_t owner) {
  std::size_t running = 0;
  for (const auto& [serial, kept] : all_) {
    if (kept.owner != owner) continue;
    if (kept.group.uuid() == group.uuid()) return false;
    if (kept.ended == 0) ++running;
  }
  std::optional<base::Descriptor> process = process_of(group, pid);
  if (!process || running >= kMostGroups) return false;
  const bool has_ended = !*process;
  const std::uint64_t serial = ++taken_;
  all_.emplace(serial, KeptGroup{std::move(group), owner, std::move(*process), 0, 0});
  if (has_ended) end(serial);
  return true;
}

void KeptGroups::end(std::uint64_t serial) {
  KeptGroup& kept = all_.at(serial);
  kept.process = base::Descriptor();
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
    const GroupView& group = kept->second.group;
    programs.emplace(group.pid(), group.pid_start_time());
    bytes += group.bytes();
    if (programs.size() > keep_ || ++groups > kMostGroups || bytes > kMostBytesOfTheEnded) all_.erase(kept);
  }
}

bool KeptGroups::may_see(const KeptGroup& kept, const Peer& peer) const {
  if (peer.user == 0 || peer.user == kept.owner) return true;
  const std::string name = kept.group.program() + "/" + kept.group.group();
  return std::any_of(rules_.begin(), rules_.end(), [&](const DirectoryRule& rule) {
    const bool is_meant = rule.user ? *rule.user == peer.user
                          : rule.users
                              ? std::find(peer.groups.begin(), peer.groups.end(), *rule.users) != peer.groups.end()
                              : true;
    return is_meant && fnmatch(rule.pattern.c_str(), name.c_str(), FNM_PATHNAME) == 0;
  });
}

const std::pair<const std::uint64_t, KeptGroup>* KeptGroups::next(std::uint64_t after, const Peer& peer) const {
  for (auto each = all_.upper_bound(after); each != all_.end(); ++each)
    if (may_see(each->second, peer)) return &*each;
  return nullptr;
}

bool KeptGroups::forget(const std::array<std::uint8_t, 16>& uuid, const Peer& peer) {
  for (auto each = all_.begin(); each != all_.end(); ++each) {
    const KeptGroup& kept = each->second;
    if (kept.group.uuid() != uuid || kept.ended == 0 || (peer.user != 0 && peer.user != kept.owner)) continue;
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
