// SPDX-License-Identifier: MIT
#include "directory/messages.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <maxlat/sensors/directory.hpp>
#include <maxlat/trace/control_protocol.hpp>

#include "shm/local_socket.hpp"

namespace maxlat::sensors {

constexpr const char* kName = "sensors.directory";

std::string user_directory() {
  return trace::control_folder() + "/" + kName;
}

namespace detail {

// A program and its monitor need not have the same XDG_RUNTIME_DIR (control_places.hpp): a service has none.
std::vector<std::string> directories(bool system) {
  if (system) return {kSystemDirectory};
  const std::string user = std::to_string(geteuid());
  const std::string mine = user_directory();
  std::vector<std::string> places = {mine};
  for (const std::string& folder : {"/run/user/" + user + "/maxlat", "/tmp/maxlat-" + user})
    if (const std::string other = folder + "/" + kName; other != mine) places.push_back(other);
  places.emplace_back(kSystemDirectory);
  return places;
}

namespace {

bool is_ours_or_roots(uid_t user) {
  return user == geteuid() || user == 0;
}

}  // namespace

base::Descriptor connect_to_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const base::Descriptor folder(open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return {};
  struct stat status {};
  if (fstat(folder.number(), &status) != 0) return {};
  errno = EPERM;
  if (!is_ours_or_roots(status.st_uid) || (status.st_mode & 022) != 0) return {};
  const std::string name = path.substr(slash + 1);
  if (fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
  errno = EPERM;
  if (!S_ISSOCK(status.st_mode) || !is_ours_or_roots(status.st_uid)) return {};
  sockaddr_un address;
  if (!trace::detail::address_of("/proc/self/fd/" + std::to_string(folder.number()) + "/" + name, address)) return {};
  base::Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  if (is_ours_or_roots(peer.uid)) return socket;
  errno = EPERM;
  return {};
}

bool send_message(int socket, const void* bytes, std::size_t size, int descriptor) {
  iovec content{const_cast<void*>(bytes), size};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof descriptor)] = {};
  if (descriptor >= 0) {
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(size);
}

ssize_t receive_message(int socket, void* bytes, std::size_t room, base::Descriptor& descriptor) {
  iovec content{bytes, room};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char rights_room[CMSG_SPACE(sizeof(int))] = {};
  message.msg_control = rights_room;
  message.msg_controllen = CMSG_LEN(sizeof(int));  // the space would have room for two
  const ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (size < 0) return size;
  const cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  if (rights != nullptr && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS &&
      rights->cmsg_len == CMSG_LEN(sizeof(int))) {
    int number;
    std::memcpy(&number, CMSG_DATA(rights), sizeof number);
    descriptor = base::Descriptor(number);
  }
  return size;
}

}  // namespace detail
}  // namespace maxlat::sensors
