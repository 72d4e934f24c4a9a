// SPDX-License-Identifier: MIT
// For tests: another process, which has done something and lives on until it is killed.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <maxlat/base/owned.hpp>
#include <stdexcept>
#include <utility>

namespace maxlat::sensors::test {

class LivingProcess {
 public:
  // `begin` lives there as long as the process; called in it, it says whether it could do what it is for.
  template <class Begin>
  explicit LivingProcess(Begin begin) {
    int told[2];
    if (pipe2(told, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    const base::Descriptor mine(told[0]);
    base::Descriptor its(told[1]);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (!begin() || write(its.number(), "", 1) != 1) _exit(1);
      for (;;) pause();
    }
    // Without the writing end here, a process that dies is one that says nothing.
    base::Descriptor(std::move(its));
    char none;
    EXPECT_EQ(read(mine.number(), &none, 1), 1) << "it could not begin";
  }
  ~LivingProcess() { kill(); }
  LivingProcess(const LivingProcess&) = delete;
  LivingProcess& operator=(const LivingProcess&) = delete;

  pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  pid_t pid_ = 0;
};

}  // namespace maxlat::sensors::test
