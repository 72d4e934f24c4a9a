// SPDX-License-Identifier: MIT
//
// The controller's end of control_protocol.hpp: ask a traced program, and be called by one.
//
// ERRORS: the program's own "error TEXT" comes as an Error with that text. A program that is gone is an Error, too, and
// one that does not answer within kControlPatience. If it answers later, that answer is not mistaken for the answer to
// another request: answers come in the order of requests, and overdue ones are skipped.
// THREADS: one at a time, each object.
#pragma once

#include <chrono>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/control_protocol.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maxlat::trace {

// Longer than the program's own patience with its threads (session.hpp, stop).
inline constexpr std::chrono::seconds kControlPatience{15};
// The time to wait for a program that still has not answered: the end of a recording waits once, not for each request.
inline constexpr int kPartWhenOwed = 15;

struct ControlReply {
  // The n-th descriptor, the caller's from now on, or none.
  base::Descriptor take_descriptor(std::size_t n);

  std::vector<std::string> lines;  // without the "ok"
  std::vector<base::Descriptor> descriptors;
};

class ControlConnection {
 public:
  // To a program that listens. ERRORS: no such process, it does not listen, not ours.
  static base::Result<ControlConnection> connect(int pid, std::chrono::milliseconds patience = kControlPatience);
  explicit ControlConnection(base::Descriptor socket, std::chrono::milliseconds patience = kControlPatience)
      : socket_(std::move(socket)), patience_(patience) {}

  base::Result<ControlReply> request(std::string_view line);
  int socket() const { return socket_.number(); }  // readable between requests: the program is gone

 private:
  base::Result<ControlReply> receive();
  base::Descriptor socket_;
  std::chrono::milliseconds patience_;
  std::size_t owed_ = 0;  // answers of requests that nobody waited for any longer
};

// Where programs call home: a socket in a folder of its own, mode 0700, both removed with it.
class ControlListener {
 public:
  static base::Result<ControlListener> create();
  ControlListener(ControlListener&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), socket_(std::move(other.socket_)) {}
  ControlListener& operator=(ControlListener&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~ControlListener();

  std::string path() const { return folder_ + "/control"; }
  int socket() const { return socket_.number(); }  // readable: somebody calls
  base::Result<ControlConnection> accept();

 private:
  ControlListener() = default;
  std::string folder_;
  base::Descriptor socket_;
};

// Processes that listen now, of this user, or of everybody if that is root: the numbers of the sockets that somebody
// answers at, wherever they may be (consumer/control_places.hpp).
std::vector<int> listening_processes();

}  // namespace maxlat::trace
