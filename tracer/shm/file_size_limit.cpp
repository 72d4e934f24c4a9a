// SPDX-License-Identifier: MIT
#include "shm/file_size_limit.hpp"

#include <sys/resource.h>

namespace maxlat::trace {

base::Status check_file_size_limit(const std::string& what, std::uint64_t size, const std::string& hint) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size) {
    return base::Error{what + " of " + std::to_string(size) + " bytes is above the limit of file sizes, " +
                           std::to_string(limit.rlim_cur),
                       hint};
  }
  return {};
}

}  // namespace maxlat::trace
