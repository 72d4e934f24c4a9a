// SPDX-License-Identifier: MIT
#include "directory/messages.hpp"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <maxlat/sensors/directory.hpp>
#include <maxlat/trace/control_protocol.hpp>

#include "consumer/control_places.hpp"

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

base::Descriptor connect_to_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  uid_t owner = 0;
  const base::Descriptor folder = trace::detail::open_place({.folder = path.substr(0, slash), .closed = 022}, owner);
  if (!folder) return {};
  if (owner == geteuid() || owner == 0)
    return trace::detail::connect_in(folder, owner, path.substr(slash + 1), SOCK_NONBLOCK);
  errno = EPERM;
  return {};
}

}  // namespace detail
}  // namespace maxlat::sensors
