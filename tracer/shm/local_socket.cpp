// SPDX-License-Identifier: MIT
#include "shm/local_socket.hpp"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

#include <charconv>
#include <cstring>
#include <maxlat/base/owned.hpp>

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
