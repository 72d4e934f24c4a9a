// SPDX-License-Identifier: MIT
#include "session/control_server.hpp"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/control.hpp>
#include <maxlat/trace/control_protocol.hpp>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "session/control_commands.hpp"
#include "session/control_folder.hpp"
#include "session/fork.hpp"
#include "session/threads.hpp"
#include "shm/local_socket.hpp"
#include "shm/own_threads.hpp"

namespace maxlat::trace {

std::string socket_path(int pid) {
  return control_folder() + "/" + std::to_string(pid) + ".trace";
}

namespace detail {
namespace {

constexpr std::size_t kMaxConnections = 16;
constexpr int kCallAgainMs = 100;

void say(const char* variable, const std::string& text) {
  const std::string line = std::string("maxlat: ") + variable + ": " + text + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

base::Error too_long(const std::string& path) {
  return base::Error{"too long for a socket: " + path};
}

constexpr double kLongestWait_s = 10;
constexpr double kDay_s = 86400;

// How long main() waits for a controller that hangs.
std::chrono::duration<double> longest_wait() {
  const char* wish = secure_getenv(kWaitVariable);
  if (wish == nullptr || *wish == 0) return std::chrono::duration<double>(kLongestWait_s);
  char* unit = nullptr;
  const double number = strtod(wish, &unit);
  const std::string_view rest = unit;
  const double seconds = rest == "s" ? number : rest == "ms" ? number * 1e-3 : -1;
  if (unit != wish && seconds >= 0 && seconds <= kDay_s) return std::chrono::duration<double>(seconds);
  say(kWaitVariable, "10s or 500ms, a day at most, not " + std::string(wish));
  return std::chrono::duration<double>(kLongestWait_s);
}

void remove_sockets_of_the_dead() {
  for (const std::string& name : names_in(control_folder())) {
    const pid_t maker = process_in(name, "");
    const std::string path = socket_path(maker);
    if (maker != 0 && path.ends_with("/" + name) && is_of_the_dead(path, maker)) unlink(path.c_str());
  }
}

bool is_allowed(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

base::Error too_many() {
  return base::Error{"the program has " + std::to_string(kMaxConnections) + " controllers already"};
}

// A controller, what of its last answer did not fit, and whether the program waits for this one before main().
struct Connection {
  base::Descriptor socket;
  std::string rest;
  bool is_waited_for = false;
};

class Server {
 public:
  base::Status listen();
  base::Status connect(const std::string& path);
  base::Status run();
  void end();
  bool wait_for_resume(std::chrono::duration<double> longest);
  // After fork(), in the child: the descriptors are closed, everything else is left as it lies.
  void close_descriptors();

 private:
  void serve();
  bool serve_one(Connection& connection);
  void send(Connection& connection, const ControlAnswer& answer);
  void refuse(base::Descriptor caller);
  void resume();

  std::string path_;  // of the listening socket
  base::Descriptor listener_;
  base::Descriptor end_;  // an eventfd
  std::vector<Connection> connections_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable resumed_;
  bool may_begin_ = false;
};

// Its pointer is the process's; never destroyed while the thread runs.
std::mutex server_mutex;
// Held while that pointer or the server's connections change, for fork(), which does not wait for what a server does.
std::mutex server_change_mutex;
Server* server = nullptr;

base::Status Server::listen() {
  if (const base::Status folder = make_control_folder(); !folder) return folder;
  remove_sockets_of_the_dead();
  const std::string path = socket_path(getpid());
  sockaddr_un address;
  if (!address_of(path, address)) return too_long(path);
  listener_ = base::Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(path.c_str());  // of an earlier process of this number
  if (!listener_ || bind(listener_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener_.number(), 8) != 0) {
    return base::system_error("cannot listen at " + path, errno);
  }
  path_ = path;
  return {};
}

base::Status Server::connect(const std::string& path) {
  sockaddr_un address;
  if (!address_of(path, address)) return too_long(path);
  base::Descriptor home(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!home || ::connect(home.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return base::system_error("cannot reach the controller at " + path, errno);
  }
  if (!is_allowed(home.number())) return base::Error{"the controller at " + path + " is another user's"};
  connections_.push_back({std::move(home), {}, true});
  return {};
}

base::Status Server::run() {
  end_ = base::Descriptor(eventfd(0, EFD_CLOEXEC));
  if (!end_) return base::system_error("cannot make an eventfd", errno);
  const SignalsBlocked inherited_by_the_thread;
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "maxlat-control");
    const sched_param ordinary{};
    pthread_setschedparam(pthread_self(), SCHED_OTHER, &ordinary);  // whatever the starting thread has
    leave_kept_free_cpus();
    serve();
  });
  return {};
}

void Server::end() {
  const std::uint64_t one = 1;
  if (write(end_.number(), &one, sizeof(one)) == sizeof(one)) thread_.join();
  if (!path_.empty()) unlink(path_.c_str());
}

void Server::resume() {
  const std::lock_guard lock(mutex_);
  may_begin_ = true;
  resumed_.notify_all();
}

bool Server::wait_for_resume(std::chrono::duration<double> longest) {
  std::unique_lock lock(mutex_);
  return resumed_.wait_for(lock, longest, [this] { return may_begin_; });
}

void Server::close_descriptors() {
  base::Descriptor(std::move(listener_));
  base::Descriptor(std::move(end_));
  for (Connection& connection : connections_) base::Descriptor(std::move(connection.socket));
}

// A call that cannot be taken (no descriptor, no memory) keeps the listener readable. It waits until the next look, a
// while later: without that pause this thread would spin, on the program's CPU time.
void Server::serve() {
  bool call_waits = false;
  while (true) {
    std::vector<pollfd> sources = {{end_.number(), POLLIN, 0}, {call_waits ? -1 : listener_.number(), POLLIN, 0}};
    for (const Connection& connection : connections_) sources.push_back({connection.socket.number(), POLLIN, 0});
    if (poll(sources.data(), sources.size(), call_waits ? kCallAgainMs : -1) < 0) continue;
    call_waits = false;
    if (sources[0].revents != 0) return;
    for (std::size_t i = sources.size(); i-- > 2;) {  // from the back: one that is gone is taken out
      if (sources[i].revents == 0 || serve_one(connections_[i - 2])) continue;
      if (connections_[i - 2].is_waited_for) resume();  // in vain: it is gone. Another may come and go meanwhile
      const std::lock_guard change(server_change_mutex);
      connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i - 2));
    }
    if ((sources[1].revents & POLLIN) == 0) continue;
    base::Descriptor caller(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    call_waits = !caller;
    if (!caller || !is_allowed(caller.number())) continue;
    if (connections_.size() >= kMaxConnections) {
      refuse(std::move(caller));
      continue;
    }
    const std::lock_guard change(server_change_mutex);
    connections_.push_back({std::move(caller), {}, false});
  }
}

// Whatever it asks, the answer is this. A request that came with the call is taken first: one that lies unread would be
// what the controller hears of.
void Server::refuse(base::Descriptor caller) {
  char unread[kMaxRequest];
  (void)recv(caller.number(), unread, sizeof(unread), MSG_DONTWAIT);
  Connection refused{std::move(caller), {}, false};
  send(refused, control_error(too_many()));
}

// RETURNS: false: the controller is gone.
bool Server::serve_one(Connection& connection) {
  char request[kMaxRequest + 1];
  const ssize_t size = recv(connection.socket.number(), request, sizeof(request), MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (size <= 0) return false;
  if (static_cast<std::size_t>(size) > kMaxRequest) {
    send(connection, control_error({"the request is longer than 4096 bytes"}));
    return true;
  }
  ControlAnswer reply = answer({request, static_cast<std::size_t>(size)});
  if (reply.rest) reply.text += connection.rest;
  send(connection, reply);
  if (reply.resume) resume();
  return true;
}

// What does not fit stays for `next`, cut at the end of a line.
void Server::send(Connection& connection, const ControlAnswer& answer) {
  std::string text = answer.text;
  connection.rest.clear();
  constexpr std::string_view kMore = "more\n";
  if (text.size() > kMaxMessage) {
    const std::size_t cut = text.rfind('\n', kMaxMessage - kMore.size() - 1) + 1;
    connection.rest = text.substr(cut);
    text.resize(cut);
    text += kMore;
  }
  std::vector<int> numbers;
  for (const base::Descriptor& descriptor : answer.descriptors) numbers.push_back(descriptor.number());
  // A controller that does not read is dropped by itself: its next request never comes.
  (void)send_message(connection.socket.number(), text, numbers);
}

void remove_socket_at_exit() {
  const std::lock_guard lock(server_mutex);
  if (server != nullptr) unlink(socket_path(getpid()).c_str());
}

void remove_socket_when_we_exit() {
  static const int registered = std::atexit(remove_socket_at_exit);
  (void)registered;
}

// A server that `prepare` could bring to its sockets, running.
template <class Prepare>
base::Status start_server(Prepare prepare) {
  const std::lock_guard lock(server_mutex);
  if (server != nullptr) return {};
  auto starting = std::make_unique<Server>();
  // No child is made that would have these sockets and not know of them.
  const SignalsBlocked no_handler_forks;
  const std::lock_guard change(server_change_mutex);
  if (const base::Status prepared = prepare(*starting); !prepared) return prepared;
  if (const base::Status running = starting->run(); !running) return running;
  server = starting.release();
  return {};
}

}  // namespace

void lock_control_for_fork() {
  server_change_mutex.lock();
}
void unlock_control_after_fork() {
  server_change_mutex.unlock();
}

void forget_control() {
  if (server != nullptr) server->close_descriptors();
  server = nullptr;
  std::construct_at(&server_mutex);  // another thread may have been starting or ending the server
}

// Listens, too: who calls may die (a recorder that is killed), and others may have a wish (maxlat trace snapshot).
// Where that cannot be, the caller alone controls.
base::Status call_home(const std::string& path) {
  const auto both = [&](Server& s) -> base::Status {
    if (const base::Status connected = s.connect(path); !connected) return connected;
    if (s.listen()) remove_socket_when_we_exit();
    return {};
  };
  if (const base::Status started = start_server(both); !started) return started;
  const std::chrono::duration<double> longest = longest_wait();
  if (server->wait_for_resume(longest)) return {};
  return base::Error{"the controller at " + path + " did not answer in time: going on, and it may still record"};
}

void serve_environment() {
  const char* wish = secure_getenv(kControlVariable);
  if (wish == nullptr || *wish == 0) return;
  const std::string_view text = wish;
  constexpr std::string_view kConnect = "connect:";
  base::Status done;
  if (text == "listen") {
    done = open_control();
  } else if (text.starts_with(kConnect)) {
    done = call_home(std::string(text.substr(kConnect.size())));
  } else {
    done = base::Error{"listen or connect:PATH, not " + std::string(text)};
  }
  if (!done) say(kControlVariable, done.error().text);
}

}  // namespace detail

base::Status open_control() {
  detail::remove_socket_when_we_exit();
  return detail::start_server([](detail::Server& s) { return s.listen(); });
}

void close_control() {
  const std::lock_guard lock(detail::server_mutex);
  if (detail::server == nullptr) return;
  detail::server->end();
  const detail::SignalsBlocked no_handler_forks;
  const std::lock_guard change(detail::server_change_mutex);
  delete detail::server;
  detail::server = nullptr;
}

}  // namespace maxlat::trace
