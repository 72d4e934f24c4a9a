// SPDX-License-Identifier: MIT
#include "session/control_folder.hpp"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <maxlat/trace/control_protocol.hpp>

namespace maxlat::trace {

std::string control_folder() {
  const char* runtime = secure_getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime != 0) return std::string(runtime) + "/maxlat";
  return "/tmp/maxlat-" + std::to_string(geteuid());
}

namespace detail {

base::Status make_control_folder() {
  const std::string folder = control_folder();
  struct stat found {};
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return base::system_error("cannot make " + folder, errno);
  if (lstat(folder.c_str(), &found) != 0) return base::system_error("cannot look at " + folder, errno);
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & 077) != 0) {
    return base::Error{folder + " is not a folder of this user alone", "remove it, or chmod 700"};
  }
  return {};
}

}  // namespace detail
}  // namespace maxlat::trace
