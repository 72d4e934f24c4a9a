// SPDX-License-Identifier: MIT
#include "consumer/control_places.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <maxlat/trace/control_protocol.hpp>

#include "shm/local_socket.hpp"

namespace maxlat::trace::detail {
namespace {

constexpr const char* kRuntime = "/run/user";
constexpr const char* kTemporary = "/tmp";
constexpr const char* kTemporaryName = "maxlat-";

void append_places_of(uid_t user, std::vector<ControlPlace>& places) {
  places.push_back({std::string(kRuntime) + "/" + std::to_string(user) + "/maxlat", user});
  places.push_back({std::string(kTemporary) + "/" + kTemporaryName + std::to_string(user), user});
}

// A number, and nothing else.
std::optional<uid_t> user_in(const std::string& digits) {
  if (digits.empty() || digits.size() > 10 || digits.find_first_not_of("0123456789") != std::string::npos) return {};
  return static_cast<uid_t>(std::stoull(digits));
}

bool answers_as(int socket, uid_t owner) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == owner;
}

}  // namespace

std::vector<ControlPlace> places_of_process(pid_t pid) {
  std::vector<ControlPlace> places = {{control_folder(), {}}};
  append_places_of(geteuid(), places);
  struct stat status {};
  const bool known = stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0;
  if (known && geteuid() == 0 && status.st_uid != 0) append_places_of(status.st_uid, places);
  return places;
}

std::vector<ControlPlace> all_places() {
  std::vector<ControlPlace> places = {{control_folder(), {}}};
  append_places_of(geteuid(), places);
  if (geteuid() != 0) return places;
  for (const std::string& name : names_in(kRuntime)) {
    if (const auto user = user_in(name); user && *user != 0)
      places.push_back({kRuntime + ("/" + name) + "/maxlat", user});
  }
  const std::string prefix = kTemporaryName;
  for (const std::string& name : names_in(kTemporary)) {
    if (!name.starts_with(prefix)) continue;
    if (const auto user = user_in(name.substr(prefix.size())); user && *user != 0)
      places.push_back({kTemporary + ("/" + name), user});
  }
  return places;
}

base::Descriptor open_place(const ControlPlace& place, uid_t& owner) {
  base::Descriptor folder(open(place.folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!folder) return {};
  if (fstat(folder.number(), &status) == 0 && (status.st_mode & place.closed) == 0 &&
      (!place.owner || status.st_uid == *place.owner)) {
    owner = status.st_uid;
    return folder;
  }
  errno = ENOENT;  // somebody else's: not a place at all
  return {};
}

base::Descriptor connect_in(const base::Descriptor& folder, uid_t owner, const std::string& name, int flags) {
  struct stat status {};
  int failed = 0;
  base::Descriptor connected;
  if (fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    failed = errno;
  } else if (!S_ISSOCK(status.st_mode) || status.st_uid != owner) {
    failed = ENOENT;
  } else {
    sockaddr_un address;
    address_of("/proc/self/fd/" + std::to_string(folder.number()) + "/" + name, address);  // never too long
    connected = base::Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0));
    if (!connected || connect(connected.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      failed = errno;
    if (failed == 0 && !answers_as(connected.number(), owner)) failed = EPERM;
  }
  if (failed == 0) return connected;
  errno = failed;
  return {};
}

base::Descriptor connect_to(const ControlPlace& place, pid_t pid) {
  uid_t owner = 0;
  const base::Descriptor folder = open_place(place, owner);
  return folder ? connect_in(folder, owner, std::to_string(pid) + ".trace") : base::Descriptor();
}

}  // namespace maxlat::trace::detail
