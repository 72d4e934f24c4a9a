// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/control_client.hpp>

#include "consumer/control_places.hpp"
#include "shm/local_socket.hpp"

namespace maxlat::trace {

using detail::address_of;

namespace {

constexpr std::size_t kMaxDescriptors = 4;

void append_lines(std::string_view message, std::vector<std::string>& lines) {
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    lines.emplace_back(message.substr(0, end));
    message.remove_prefix(std::min(end + 1, message.size()));
  }
}

constexpr const char* kFolderName = "maxlat-record-";

// Of recorders that were killed. /tmp is everybody's: only real folders of our own are looked into.
void remove_folders_of_the_dead(const std::string& place) {
  for (const std::string& name : detail::names_in(place)) {
    const std::string folder = place + "/" + name, socket = folder + "/control";
    const pid_t maker = detail::process_in(name, kFolderName);
    struct stat status {};
    if (maker == 0 || lstat(folder.c_str(), &status) != 0) continue;
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || !detail::is_of_the_dead(socket, maker)) continue;
    unlink(socket.c_str());
    rmdir(folder.c_str());
  }
}

}  // namespace

base::Descriptor ControlReply::take_descriptor(std::size_t n) {
  return n < descriptors.size() ? std::move(descriptors[n]) : base::Descriptor();
}

base::Result<ControlConnection> ControlConnection::connect(int pid, std::chrono::milliseconds patience) {
  int failed = ENOENT;
  for (const detail::ControlPlace& place : detail::places_of_process(pid)) {
    base::Descriptor socket = detail::connect_to(place, pid);
    if (socket) return ControlConnection(std::move(socket), patience);
    const bool nobody = errno == ENOENT || errno == ECONNREFUSED;
    if (!nobody) failed = errno;
  }
  const std::string who = "process " + std::to_string(pid);
  if (failed == ENOENT) {
    return base::Error{who + " does not listen for maxlat trace",
                       "start it with MAXLAT_TRACE_CONTROL=listen, or have it call maxlat::trace::open_control(); "
                       "`maxlat trace list` shows who listens"};
  }
  return base::system_error("cannot connect to " + who, failed);
}

base::Result<ControlReply> ControlConnection::request(std::string_view line) {
  if (line.size() > kMaxRequest) return base::Error{"the request is longer than 4096 bytes"};
  ControlReply whole;
  bool more = true;
  for (bool first = true; more; first = false) {
    const std::string_view words = first ? line : "next";
    const bool sent = send(socket(), words.data(), words.size(), MSG_NOSIGNAL) >= 0;
    const int why = errno;
    if (!sent && why != EPIPE && why != ECONNRESET) return base::system_error("the program is gone", why);
    ++owed_;
    base::Result<ControlReply> part = receive();  // one that went may have said why
    for (; part && owed_ > 0; part = receive()) continue;
    if (!part && !sent) return base::system_error("the program is gone", why);
    if (!part) return part.error();
    if (part->lines.empty()) return base::Error{"the program's answer is empty"};
    const std::string& verdict = part->lines.front();
    if (verdict.starts_with("error")) return base::Error{verdict.size() > 6 ? verdict.substr(6) : "no reason given"};
    if (verdict != "ok") return base::Error{"the program's answer is not of this protocol"};
    more = part->lines.back() == "more";
    const auto end = part->lines.end() - (more ? 1 : 0);
    whole.lines.insert(whole.lines.end(), part->lines.begin() + 1, end);
    for (base::Descriptor& descriptor : part->descriptors) whole.descriptors.push_back(std::move(descriptor));
  }
  return whole;
}

base::Result<ControlReply> ControlConnection::receive() {
  const auto patience = owed_ > 1 ? patience_ / kPartWhenOwed : patience_;
  pollfd readable{socket(), POLLIN, 0};
  int ready;
  do {
    ready = poll(&readable, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) {
    return base::Error{"the program does not answer", "is it stopped (SIGSTOP, a debugger)?"};
  }
  std::string text(kMaxMessage, '\0');
  detail::ReceivedMessage message = detail::receive_message(socket(), text, kMaxDescriptors);
  // It went before it read our request. What it had said lies behind that error.
  if (message.size < 0 && errno == ECONNRESET) message = detail::receive_message(socket(), text, kMaxDescriptors);
  if (message.size <= 0) return base::Error{"the program is gone"};
  --owed_;
  if (message.cut) return base::Error{"the program's answer is too long"};
  ControlReply reply;
  reply.descriptors = std::move(message.descriptors);
  append_lines(std::string_view(text.data(), static_cast<std::size_t>(message.size)), reply.lines);
  return reply;
}

base::Result<ControlListener> ControlListener::create() {
  const char* named = getenv("TMPDIR");
  const std::string place = named != nullptr && *named != 0 ? named : "/tmp";
  remove_folders_of_the_dead(place);
  std::string folder = place + "/" + kFolderName + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return base::system_error("cannot make the folder " + folder, errno);
  ControlListener listener;
  listener.folder_ = folder;
  sockaddr_un address;
  if (!address_of(listener.path(), address)) {
    return base::Error{"the path " + listener.path() + " is too long for a socket", "set TMPDIR to a shorter one"};
  }
  listener.socket_ = base::Descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.socket_ || bind(listener.socket(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener.socket(), SOMAXCONN) != 0) {
    return base::system_error("cannot listen at " + listener.path(), errno);
  }
  return listener;
}

ControlListener::~ControlListener() {
  if (folder_.empty()) return;
  unlink(path().c_str());
  rmdir(folder_.c_str());
}

base::Result<ControlConnection> ControlListener::accept() {
  base::Descriptor caller(accept4(socket(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!caller) return base::system_error("cannot take a call", errno);
  return ControlConnection(std::move(caller));
}

std::vector<int> listening_processes() {
  std::vector<int> processes;
  for (const detail::ControlPlace& place : detail::all_places()) {
    for (const std::string& name : detail::names_in(place.folder)) {
      const pid_t pid = detail::process_in(name, "");
      if (pid <= 0 || name != std::to_string(pid) + ".trace") continue;
      if (detail::connect_to(place, pid)) processes.push_back(pid);
    }
  }
  std::sort(processes.begin(), processes.end());
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  return processes;
}

}  // namespace maxlat::trace
