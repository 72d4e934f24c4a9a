// SPDX-License-Identifier: MIT
//
// One thread at a time changes what is traced: registers events, makes, starts, stops sessions. Held for as long as
// that takes; probes, and threads that come and go, never wait for it.
#pragma once

#include <mutex>

#include "session/threads.hpp"

namespace maxlat::trace::detail {

extern constinit std::mutex control_mutex;
// Held while what the control side knows is in the middle of a change: what fork() waits for.
extern constinit std::mutex control_change_mutex;

class ControlLock {
 public:
  ControlLock() : call_(control_mutex), change_(control_change_mutex) {}

 private:
  Busy busy_;
  std::lock_guard<std::mutex> call_;
  std::lock_guard<std::mutex> change_;
};

// While a control call waits for probes, nothing is in the middle of a change, and fork() may pass: the probe it waits
// for may be the one whose handler forks. REQUIRES: a ControlLock.
class ControlRests {
 public:
  ControlRests() { control_change_mutex.unlock(); }
  ~ControlRests() { control_change_mutex.lock(); }
  ControlRests(const ControlRests&) = delete;
  ControlRests& operator=(const ControlRests&) = delete;
};

}  // namespace maxlat::trace::detail
