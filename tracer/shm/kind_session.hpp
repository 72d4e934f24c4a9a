// SPDX-License-Identifier: MIT
// The kind SESSION: the words by which producer and consumer of a session tell each other where they are.
#pragma once

#include "container.hpp"
#include "session_layout.h"

namespace maxlat::trace {

struct SessionObject : CheckedObject {
  static constexpr std::uint32_t kKind = MAXLAT_SHM_SESSION;
  static constexpr const char* kKindName = "session";
  static constexpr std::uint32_t kLayoutVersion = MAXLAT_SHM_SESSION_VERSION;

  // All of it changes: there is nothing to copy, and no number in it selects anything.
  static base::Result<SessionObject> check(const ObjectEntry& entry, const ContainerMemory&) {
    if (entry.size < sizeof(maxlat_shm_session)) return unfit_memory("session " + entry.name + ": its size");
    return SessionObject{};
  }
};

}  // namespace maxlat::trace
