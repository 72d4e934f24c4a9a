// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <maxlat/base/owned.hpp>
#include <maxlat/sensors/directory.hpp>
#include <set>
#include <thread>

#include "directory/kept_groups.hpp"
#include "directory/messages.hpp"
#include "sensors/find_groups.hpp"
#include "session/control_folder.hpp"
#include "shm/local_socket.hpp"

namespace maxlat::sensors {
namespace {

using namespace detail;

constexpr std::size_t kMostConnections = 16;  // of each user
constexpr int kMostClosing = 16;              // descriptors that are none of a group's
constexpr int kMostCalls = 64;                // that are taken before others are looked at again
constexpr int kCallAgainMs = 100;

struct Connection {
  base::Descriptor socket;
  Peer peer;
};

Peer peer_of(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  Peer peer{0, static_cast<uid_t>(-1), {}};
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return peer;
  peer.pid = who.pid;
  peer.user = who.uid;
  size = 0;
  getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, nullptr, &size);  // says how many
  peer.groups.resize(size / sizeof(gid_t));
  if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &size) != 0) peer.groups.clear();
  peer.groups.push_back(who.gid);
  return peer;
}

// A program that may not be debugged (setuid, capabilities) is not its user's to look at, but root's.
uid_t owner_of(pid_t pid, uid_t user) {
  struct stat descriptors {};
  const bool is_theirs =
      stat(("/proc/" + std::to_string(pid) + "/fd").c_str(), &descriptors) != 0 || descriptors.st_uid == user;
  return is_theirs ? user : 0;
}

// Sockets, pipes and the like have no path.
bool has_a_path(int descriptor) {
  char first = 0;
  return readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), &first, 1) == 1 && first == '/';
}

std::atomic<int> closing{0};

// To close a file of a user's own file system asks the user's server, which may never answer: so another thread does.
// RETURNS: false: too many wait already. It stays open for ever, and no more may come of that user.
bool close_elsewhere(base::Descriptor descriptor) {
  if (!descriptor || !has_a_path(descriptor.number())) return true;
  const int number = descriptor.release();
  if (closing.fetch_add(1) >= kMostClosing) {
    closing.fetch_sub(1);
    return false;
  }
  std::thread([number] {
    close(number);
    closing.fetch_sub(1);
  }).detach();
  return true;
}

// For everybody, unless it is the one that the processes of a user share anyway.
base::Status make_folder_of(const std::string& path) {
  if (path == user_directory()) return trace::detail::make_control_folder();
  const std::string folder = path.substr(0, path.rfind('/'));
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return base::system_error("cannot make " + folder, errno);
  struct stat found {};
  if (lstat(folder.c_str(), &found) != 0) return base::system_error("cannot look at " + folder, errno);
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid())
    return base::Error{folder + " is not a folder of this user"};
  if (chmod(folder.c_str(), 0755) == 0) return {};  // whatever the umask has made of it
  return base::system_error("cannot open " + folder + " to others", errno);
}

class Server final : public Directory {
 public:
  explicit Server(DirectoryOptions options)
      : options_(std::move(options)), kept_({.programs = options_.keep}, std::move(options_.rules)) {}
  ~Server() override {
    if (listener_) unlink(options_.path.c_str());
  }

  base::Status listen();
  void take_what_runs();
  std::size_t groups() const override { return kept_.all().size(); }
  std::size_t of_the_ended() const override { return kept_.of_the_ended(); }
  void set_rules(std::vector<DirectoryRule> rules) override { kept_.set_rules(std::move(rules)); }
  base::Status serve(std::span<const int> ends) override;

 private:
  // Whom poll() waits for: callers, connections, processes, the ends, in this order.
  std::vector<pollfd> sources(std::span<const int> ends, bool call_waits) const;
  void note_the_dead(const std::vector<pollfd>& looked_at);
  void serve_connections(const std::vector<pollfd>& looked_at);
  bool take_calls();
  void drop_the_oldest_of(uid_t user);
  bool answer(Connection& connection);
  bool say(const Connection& connection, const AnswerMessage& message, int memory = -1);
  void keep(base::Descriptor memory, const Peer& peer);
  bool share(const base::Descriptor& memory, const Connection& connection);

  DirectoryOptions options_;
  KeptGroups kept_;
  base::Descriptor lock_;
  base::Descriptor listener_;
  std::vector<Connection> connections_;
  std::set<uid_t> refused_;  // users who wished us ill
};

// The lock ends with its process, the socket's file does not: so the lock says whether a directory is there.
base::Status Server::listen() {
  const std::string& path = options_.path;
  const std::string lock = path + ".lock";
  lock_ = base::Descriptor(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_) return base::system_error("cannot open " + lock, errno);
  if (flock(lock_.number(), LOCK_EX | LOCK_NB) != 0) return base::Error{"there is a directory at " + path + " already"};
  sockaddr_un address;
  if (!trace::detail::address_of(path, address)) return base::Error{"too long for a socket: " + path};
  base::Descriptor listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(path.c_str());
  if (!listener || bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), options_.for_everybody ? 0666 : 0600) != 0 || ::listen(listener.number(), SOMAXCONN) != 0)
    return base::system_error("cannot listen at " + path, errno);
  listener_ = std::move(listener);
  return {};
}

void Server::take_what_runs() {
  const auto groups = find_groups_of_processes();
  if (!groups) return;  // those that are handed over come all the same
  for (const auto& [pid, group] : *groups) {
    struct stat process {};
    if (stat(("/proc/" + std::to_string(pid)).c_str(), &process) != 0) continue;
    if (options_.for_everybody || process.st_uid == geteuid()) kept_.take(group, pid, owner_of(pid, process.st_uid));
  }
}

std::vector<pollfd> Server::sources(std::span<const int> ends, bool call_waits) const {
  std::vector<pollfd> all = {{call_waits ? -1 : listener_.number(), POLLIN, 0}};
  for (const Connection& connection : connections_) all.push_back({connection.socket.number(), POLLIN, 0});
  for (const auto& [serial, kept] : kept_.all())
    for (const ProcessOfGroup& each : kept.processes) all.push_back({each.process.number(), POLLIN, 0});
  for (const int end : ends) all.push_back({end, POLLIN, 0});
  return all;
}

// A call that cannot be taken (no descriptor) keeps the listener readable: it waits for a while, or this would spin.
base::Status Server::serve(std::span<const int> ends) {
  for (bool call_waits = false;;) {
    std::vector<pollfd> all = sources(ends, call_waits);
    if (poll(all.data(), all.size(), call_waits ? kCallAgainMs : -1) < 0) {
      if (errno == EINTR) continue;
      return base::system_error("cannot wait for calls", errno);
    }
    call_waits = false;
    const bool is_end =
        std::any_of(all.end() - std::ssize(ends), all.end(), [](const pollfd& end) { return end.revents; });
    if (is_end) return {};
    note_the_dead(all);
    serve_connections(all);
    if (all[0].revents != 0) call_waits = !take_calls();
  }
}

void Server::note_the_dead(const std::vector<pollfd>& looked_at) {
  std::vector<std::pair<std::uint64_t, pid_t>> dead;
  auto look = looked_at.begin() + static_cast<std::ptrdiff_t>(1 + connections_.size());
  for (const auto& [serial, kept] : kept_.all())
    for (const ProcessOfGroup& each : kept.processes)
      if ((look++)->revents != 0) dead.emplace_back(serial, each.pid);
  // One that ends may push out another that has ended, and none that is still to end.
  for (const auto& [serial, pid] : dead) kept_.end(serial, pid);
}

void Server::serve_connections(const std::vector<pollfd>& looked_at) {
  for (std::size_t i = connections_.size(); i-- > 0;)
    if (looked_at[1 + i].revents != 0 && !answer(connections_[i]))
      connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
}

// What a caller has sent already is read at once: most that begin together have. RETURNS: false: one cannot be taken
// now.
bool Server::take_calls() {
  for (int call = 0; call < kMostCalls; ++call) {
    base::Descriptor caller(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!caller) return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
    Peer peer = peer_of(caller.number());
    if (!options_.for_everybody && peer.user != geteuid() && peer.user != 0) continue;
    if (refused_.contains(peer.user)) continue;
    Connection connection{std::move(caller), std::move(peer)};
    if (!answer(connection)) continue;
    drop_the_oldest_of(connection.peer.user);
    connections_.push_back(std::move(connection));
  }
  return true;
}

// Questions are answered at once, so of too many connections the oldest has most likely nothing to say. It is heard all
// the same.
void Server::drop_the_oldest_of(uid_t user) {
  const auto is_theirs = [&](const Connection& each) { return each.peer.user == user; };
  const auto theirs = std::count_if(connections_.begin(), connections_.end(), is_theirs);
  if (static_cast<std::size_t>(theirs) < kMostConnections) return;
  const auto oldest = std::find_if(connections_.begin(), connections_.end(), is_theirs);
  answer(*oldest);
  connections_.erase(oldest);
}

// RETURNS: false: it is gone, or says what nobody understands.
bool Server::answer(Connection& connection) {
  RequestMessage message;
  trace::detail::ReceivedMessage received =
      trace::detail::receive_message(connection.socket.number(), room_of(message), 1, MSG_DONTWAIT);
  if (received.size < 0) return errno == EAGAIN || errno == EINTR;
  base::Descriptor memory;
  if (!received.descriptors.empty()) memory = std::move(received.descriptors.front());
  const bool is_request = is_message(message, received.size);
  if (is_request && message.request == Request::share && fcntl(memory.number(), F_GET_SEALS) >= 0)
    return share(memory, connection);
  if (is_request && message.request == Request::keep)
    keep(std::move(memory), connection.peer);
  else if (!close_elsewhere(std::move(memory)))
    refused_.insert(connection.peer.user);
  if (!is_request) return false;
  switch (message.request) {
    case Request::keep:
      return false;
    case Request::share:  // of what is no memory
      return say(connection, {.answer = Answer::refused});
    case Request::next:
      if (const auto* const next = kept_.next(message.after, message.running != 0, connection.peer)) {
        const KeptGroup& kept = next->second;
        return say(connection,
                   {.answer = Answer::group, .serial = next->first, .ended_ns = kept.ended_ns, .pid = kept.pid},
                   kept.memory.number());
      }
      return say(connection, {.answer = Answer::no_more});
    case Request::forget: {
      const bool done = kept_.forget(message.uuid, message.pid, connection.peer);
      return say(connection, {.answer = done ? Answer::done : Answer::refused});
    }
  }
  return false;
}

bool Server::say(const Connection& connection, const AnswerMessage& message, int memory) {
  const int numbers[] = {memory};
  const std::span descriptors(numbers, memory < 0 ? 0u : 1u);
  return trace::detail::send_message(connection.socket.number(), bytes_of(message), descriptors);
}

void Server::keep(base::Descriptor memory, const Peer& peer) {
  if (!memory) return;
  if (fcntl(memory.number(), F_GET_SEALS) < 0) {
    if (!close_elsewhere(std::move(memory))) refused_.insert(peer.user);
    return;
  }
  if (peer.pid <= 0) return;  // in a PID namespace that cannot be seen from here
  const base::Result<GroupView> group = GroupView::attach(memory.number(), peer.pid);
  if (group) kept_.take(*group, peer.pid, owner_of(peer.pid, peer.user));
}

// Who may not be debugged has no part in its user's groups, nor they in root's.
bool Server::share(const base::Descriptor& memory, const Connection& connection) {
  const Peer& peer = connection.peer;
  const bool is_its_own = peer.pid > 0 && owner_of(peer.pid, peer.user) == peer.user;
  const KeptGroup* kept = nullptr;
  if (is_its_own)
    if (const base::Result<GroupView> group = GroupView::attach(memory.number()); group && group->is_common())
      kept = kept_.share(*group, peer.pid, peer.user);
  if (kept == nullptr) return say(connection, {.answer = Answer::refused});
  const std::string anew = "/proc/self/fd/" + std::to_string(kept->memory.number());
  const base::Descriptor writable(::open(anew.c_str(), O_RDWR | O_CLOEXEC));
  if (!writable) return say(connection, {.answer = Answer::refused});
  if (say(connection, {.answer = Answer::group}, writable.number())) return true;
  kept_.leave(kept->uuid, peer.pid);
  return false;
}

}  // namespace

base::Result<std::unique_ptr<Directory>> Directory::open(DirectoryOptions options) {
  if (const base::Status made = make_folder_of(options.path); !made) return made.error();
  auto server = std::make_unique<Server>(std::move(options));
  if (const base::Status listening = server->listen(); !listening) return listening.error();
  server->take_what_runs();
  return std::unique_ptr<Directory>(std::move(server));
}

}  // namespace maxlat::sensors
