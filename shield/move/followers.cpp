// SPDX-License-Identifier: MIT
#include "followers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "change/moved_change.hpp"

namespace maxlat::shield {
namespace {

template <class Number>
Number number_in(const std::string& text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::optional<core::Task> parent_of(const core::Task& task, const Surface& surface) {
  if (task.tid != task.pid) return core::task_of(surface.view(), number_in<unsigned>(task.pid));
  const auto parent = core::status_word(surface.view(), task, "PPid");
  return parent ? core::task_of(surface.view(), number_in<unsigned>(*parent)) : std::nullopt;
}

Followers::Followers(const JournalContent& journal) {
  for (const Change& change : journal.changes) {
    if (change.kind == Change::Kind::moved) moved_.insert_or_assign({change.task, change.started}, &change);
    if (change.kind == Change::Kind::affinity) older_.emplace(change.task, change.started);
  }
}

const Change* Followers::leader_of(const core::Task& task, const Surface& surface) const {
  const auto name = [](const core::Task& one) { return Thread{number_in<pid_t>(one.tid), one.started}; };
  const auto line_of = [&](const core::Task& one) {
    const auto line = moved_.find(name(one));
    return line == moved_.end() ? nullptr : line->second;
  };
  if (line_of(task) != nullptr || older_.contains(name(task))) return nullptr;
  // A parent has begun before its child. That ends the walk, too, where numbers have come back meanwhile.
  uint64_t begun = task.started;
  for (auto above = parent_of(task, surface); above && above->started <= begun; above = parent_of(*above, surface)) {
    if (const Change* const line = line_of(*above)) return line;
    if (above->pid == "1") break;
    begun = above->started;
  }
  return nullptr;
}

std::vector<Follower> followers_now(const JournalContent& journal, const Surface& surface) {
  std::vector<Follower> all;
  const Followers followers(journal);
  if (!followers.are_possible()) return all;
  for (core::Task& task : surface.tasks())
    if (const Change* const leader = followers.leader_of(task, surface)) all.push_back({std::move(task), leader});
  return all;
}

void bring_followers_out(const JournalContent& journal, Surface& surface) {
  for (const auto& [task, leader] : followers_now(journal, surface))
    if (!leader->path.empty() && is_in_group_of_shield(task, surface))
      static_cast<void>(bring_out(task, leader->path, surface));
}

}  // namespace maxlat::shield
