// SPDX-License-Identifier: MIT
#include "shm/local_socket.hpp"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace maxlat::trace::detail {

bool address_of(const std::string& path, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) return false;
  std::memcpy(address.sun_path, path.data(), path.size());
  return true;
}

bool is_of_the_dead(const std::string& path, pid_t maker) {
  sockaddr_un address;
  if (kill(maker, 0) == 0 || errno != ESRCH || !address_of(path, address)) return false;
  const base::Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return socket && connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 &&
         (errno == ECONNREFUSED || errno == ENOENT);
}

namespace {

constexpr std::size_t kMostDescriptors = 4;

}  // namespace

bool send_message(int socket, std::string_view bytes, std::span<const int> descriptors) {
  iovec content{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char room[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  const std::size_t size = std::min(descriptors.size(), kMostDescriptors) * sizeof(int);
  if (size != 0) {
    message.msg_control = room;
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(rights), descriptors.data(), size);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
}

ReceivedMessage receive_message(int socket, std::span<char> room, std::size_t most, int flags) {
  iovec content{room.data(), room.size()};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char rights_room[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
  message.msg_control = rights_room;
  message.msg_controllen = CMSG_LEN(std::min(most, kMostDescriptors) * sizeof(int));  // CMSG_SPACE has room for more
  ReceivedMessage received{.size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags)};
  if (received.size < 0) return received;
  received.cut = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof number, sizeof number);
      received.descriptors.emplace_back(number);
    }
  }
  return received;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const opened = opendir(folder.c_str());
  if (opened == nullptr) return names;
  while (const dirent* entry = readdir(opened)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(opened);
  return names;
}

pid_t process_in(std::string_view name, std::string_view before) {
  if (!name.starts_with(before)) return 0;
  pid_t pid = 0;
  std::from_chars(name.data() + before.size(), name.data() + name.size(), pid);
  return pid > 0 ? pid : 0;
}

}  // namespace maxlat::trace::detail
