// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <maxlat/base/owned.hpp>

namespace maxlat::trace_tools {

// SIGUSR1 as a descriptor. Blocked in the thread that makes it, and in all that it starts from then on.
class SnapshotSignal {
 public:
  SnapshotSignal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    descriptor_ = base::Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  int descriptor() const { return descriptor_.number(); }
  bool came() const {
    signalfd_siginfo info;
    return read(descriptor_.number(), &info, sizeof info) == sizeof info;
  }

 private:
  base::Descriptor descriptor_;
};

}  // namespace maxlat::trace_tools
