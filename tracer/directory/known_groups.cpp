// SPDX-License-Identifier: MIT
// The monitor's side of directories.
#include "directory/known_groups.hpp"

#include <dirent.h>

#include <algorithm>

#include "directory/ask.hpp"

namespace maxlat::sensors {
namespace {

using namespace detail;

base::Status add_groups_of(const Asked& asked, bool running, std::vector<KnownGroup>& groups,
                           std::vector<std::string>* refused) {
  RequestMessage request{.request = Request::next, .running = running ? 1u : 0u};
  for (;;) {
    base::Descriptor memory;
    const base::Result<AnswerMessage> answer = ask(asked, request, -1, memory);
    if (!answer) return answer.error();
    if (answer->answer == Answer::no_more) return {};
    if (answer->answer != Answer::group || answer->serial <= request.after)
      return base::Error{"the directory's answer is not of this protocol"};
    request.after = answer->serial;
    base::Result<GroupView> group = GroupView::attach(memory.number(), answer->pid);
    if (group)
      groups.push_back({std::move(*group), answer->ended_ns != 0, answer->ended_ns});
    else if (refused != nullptr)
      refused->push_back("kept of process " + std::to_string(answer->pid) + ": " + group.error().text);
  }
}

// A process that can be looked at and does not show a group has withdrawn it.
bool can_be_looked_at(int pid) {
  DIR* const opened = opendir(("/proc/" + std::to_string(pid) + "/fd").c_str());
  if (opened != nullptr) closedir(opened);
  return opened != nullptr;
}

bool has(const std::vector<KnownGroup>& groups, const GroupView& group) {
  return std::any_of(groups.begin(), groups.end(), [&](const KnownGroup& known) {
    return known.group.uuid() == group.uuid() && known.group.pid() == group.pid();
  });
}

}  // namespace

std::vector<KnownGroup> detail::groups_of_directories(std::span<const std::string> places, bool running,
                                                      std::vector<std::string>* refused) {
  std::vector<KnownGroup> groups;
  for (const std::string& place : places) {
    if (is_left_alone(place)) continue;
    const Asked asked{place};
    if (!asked.socket) continue;
    const base::Status added = add_groups_of(asked, running, groups, refused);
    if (!added && refused != nullptr) refused->push_back(place + ": " + added.error().text);
  }
  return groups;
}

base::Status detail::forget_in(std::span<const std::string> places, const GroupView& group) {
  bool done = false;
  for (const std::string& place : places) {
    const Asked asked{place};
    if (!asked.socket) continue;
    base::Descriptor none;
    const RequestMessage request{.request = Request::forget, .pid = group.pid(), .uuid = group.uuid()};
    const base::Result<AnswerMessage> answer = ask(asked, request, -1, none);
    if (!answer) return answer.error();
    done = done || answer->answer == Answer::done;
  }
  if (done) return {};
  return base::Error{"not kept, or another user's: " + group.instance() + "/" + group.group()};
}

base::Result<std::vector<KnownGroup>> known_groups(bool ended_too, std::vector<std::string>* refused) {
  // The directories first: what is published meanwhile is found by the second look.
  std::vector<KnownGroup> kept = detail::groups_of_directories(directories(), !ended_too, refused);
  base::Result<std::vector<GroupView>> running = find_groups(0, refused);
  if (!running) return running.error();
  std::vector<KnownGroup> all;
  for (GroupView& group : *running) all.push_back({std::move(group)});
  for (KnownGroup& one : kept) {
    if (has(all, one.group)) continue;
    one.ended = one.ended || can_be_looked_at(one.group.pid());
    if (ended_too || !one.ended) all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const KnownGroup& a, const KnownGroup& b) {
    return std::pair(a.group.program(), a.group.pid()) < std::pair(b.group.program(), b.group.pid());
  });
  return all;
}

base::Status forget_group(const GroupView& group) {
  return detail::forget_in(directories(), group);
}

}  // namespace maxlat::sensors
