// SPDX-License-Identifier: MIT
//
// The paths of sockets, and those that a killed process leaves in the file system.
//
// A socket's file outlives its process. Whoever makes a socket of ours first removes those of the dead, so that they
// cannot pile up. Dead is a process that is not there and whose socket nobody answers at: both, because a process of
// another PID namespace that shares the folder is not seen but answers, and one between bind() and listen() is seen but
// does not answer yet.
#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include <maxlat/base/owned.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace::detail {

// False: the path is too long for a socket.
bool address_of(const std::string& path, sockaddr_un& address);

bool is_of_the_dead(const std::string& path, pid_t maker);

// A message, with copies of descriptors. Waits for nothing. RETURNS: whether it went.
bool send_message(int socket, std::string_view bytes, std::span<const int> descriptors);

struct ReceivedMessage {
  ssize_t size = -1;  // 0: nobody is there any more; -1: none, and errno
  bool cut = false;   // there was more of it, or of descriptors
  std::vector<base::Descriptor> descriptors{};
};
// `most`: so many descriptors, four at most. `flags`: of recvmsg(2).
ReceivedMessage receive_message(int socket, std::span<char> room, std::size_t most, int flags = 0);

// What is in a folder, but for "." and ".."; nothing where it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

// The process number behind `before`, as in "maxlat-record-123-x"; 0 when there is none.
pid_t process_in(std::string_view name, std::string_view before);

}  // namespace maxlat::trace::detail
