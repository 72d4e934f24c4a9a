// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <maxlat/base/owned.hpp>

namespace maxlat::core {

// A signal as a descriptor that poll() can wait for; its handler is not called, nor does it matter that it is ignored.
// Blocked in the thread that makes it, and in all that it starts from then on: before other threads are there.
class SignalDescriptor {
 public:
  explicit SignalDescriptor(int signal_number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal_number);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    descriptor_ = base::Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  int descriptor() const { return descriptor_.number(); }
  // Since it was last asked.
  bool came() const {
    signalfd_siginfo info;
    return read(descriptor_.number(), &info, sizeof info) == sizeof info;
  }

 private:
  base::Descriptor descriptor_;
};

}  // namespace maxlat::core
