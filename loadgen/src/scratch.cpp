// SPDX-License-Identifier: MIT
#include "scratch.hpp"

#include <unistd.h>

#include <cstdlib>

namespace maxlat::loadgen {

std::string scratch_directory() {
  if (const char* chosen = std::getenv("TMPDIR"); chosen != nullptr && *chosen != '\0') return chosen;
  return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

}  // namespace maxlat::loadgen
