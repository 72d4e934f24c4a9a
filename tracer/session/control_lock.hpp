// SPDX-License-Identifier: MIT
//
// One thread at a time changes what is traced: registers events, makes, starts, stops sessions. Held for as long as
// that takes; probes, and threads that come and go, never wait for it.
#pragma once

#include <mutex>

#include "session/threads.hpp"

namespace maxlat::trace::detail {

extern constinit std::mutex control_mutex;

class ControlLock {
 public:
  ControlLock() : lock_(control_mutex) {}

 private:
  Busy busy_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace maxlat::trace::detail
