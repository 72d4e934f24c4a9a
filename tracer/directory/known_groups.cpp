// SPDX-License-Identifier: MIT
// The monitor's side of directories.
#include "directory/known_groups.hpp"

#include <dirent.h>
#include <errno.h>
#include <poll.h>

#include <algorithm>
#include <chrono>

#include "directory/messages.hpp"

namespace maxlat::sensors {
namespace {

using namespace detail;

// A directory answers at once. One that is stopped (SIGSTOP) must not stop its monitors.
constexpr int kPatienceMs = 1000;
// More than any directory has: one that never ends is not one.
constexpr int kMostAnswers = 1 << 20;

base::Result<AnswerMessage> ask(const base::Descriptor& socket, const RequestMessage& request,
                                base::Descriptor& memory) {
  if (!send_message(socket.number(), &request, sizeof request, -1))
    return base::system_error("the directory is gone", errno);
  pollfd readable{socket.number(), POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&readable, 1, kPatienceMs);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) return base::Error{"the directory does not answer", "is it stopped (SIGSTOP, a debugger)?"};
  AnswerMessage answer;
  if (!is_message(answer, receive_message(socket.number(), &answer, sizeof answer, memory)))
    return base::Error{"the directory's answer is not of this protocol"};
  return answer;
}

base::Status add_groups_of(const base::Descriptor& socket, std::vector<KnownGroup>& groups,
                           std::vector<std::string>* refused) {
  RequestMessage request{.request = Request::next};
  for (int i = 0; i < kMostAnswers; ++i) {
    base::Descriptor memory;
    const base::Result<AnswerMessage> answer = ask(socket, request, memory);
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
  return base::Error{"the directory's list has no end"};
}

// A process that can be looked at and does not show a group has withdrawn it.
bool can_be_looked_at(int pid) {
  DIR* const opened = opendir(("/proc/" + std::to_string(pid) + "/fd").c_str());
  if (opened != nullptr) closedir(opened);
  return opened != nullptr;
}

bool has(const std::vector<KnownGroup>& groups, const GroupView& group) {
  return std::any_of(groups.begin(), groups.end(),
                     [&](const KnownGroup& known) { return known.group.uuid() == group.uuid(); });
}

}  // namespace

std::vector<KnownGroup> detail::groups_of_directories(std::span<const std::string> places,
                                                      std::vector<std::string>* refused) {
  std::vector<KnownGroup> groups;
  for (const std::string& place : places) {
    const base::Descriptor socket = connect_to_directory(place);
    if (!socket) continue;
    const base::Status added = add_groups_of(socket, groups, refused);
    if (!added && refused != nullptr) refused->push_back(place + ": " + added.error().text);
  }
  return groups;
}

base::Status detail::forget_in(std::span<const std::string> places, const GroupView& group) {
  bool done = false;
  for (const std::string& place : places) {
    const base::Descriptor socket = connect_to_directory(place);
    if (!socket) continue;
    base::Descriptor none;
    const base::Result<AnswerMessage> answer = ask(socket, {.request = Request::forget, .uuid = group.uuid()}, none);
    if (!answer) return answer.error();
    done = done || answer->answer == Answer::done;
  }
  if (done) return {};
  return base::Error{"not kept, or another user's: " + group.program() + "#" + std::to_string(group.pid()) + "/" +
                     group.group()};
}

base::Result<std::vector<KnownGroup>> known_groups(std::vector<std::string>* refused) {
  // The directories first: what is published meanwhile is found by the second look.
  std::vector<KnownGroup> kept = detail::groups_of_directories(directories(), refused);
  base::Result<std::vector<GroupView>> running = find_groups(0, refused);
  if (!running) return running.error();
  std::vector<KnownGroup> all;
  for (GroupView& group : *running) all.push_back({std::move(group)});
  for (KnownGroup& one : kept) {
    if (has(all, one.group)) continue;
    one.ended = one.ended || can_be_looked_at(one.group.pid());
    all.push_back(std::move(one));
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
