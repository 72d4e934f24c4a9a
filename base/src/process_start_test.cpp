// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <maxlat/base/process_start.hpp>
#include <sstream>
#include <string>

namespace {

using maxlat::base::start_time_of;

class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ == 0) {
      prctl(PR_SET_NAME, ") Z 1 (x");
      for (;;) pause();
    }
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  void kill_and_wait_for_its_end() {
    kill(pid_, SIGKILL);
    siginfo_t end{};
    waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOWAIT);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// The time of the boot and the age of this process add up to now.
TEST(ProcessStart, IsTheTimeSinceBootInTicks) {
  std::ifstream file("/proc/uptime");
  double now_s = 0;
  file >> now_s;
  const double start_s = static_cast<double>(start_time_of(getpid())) / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_GT(start_s, 0);
  EXPECT_NEAR(start_s, now_s, 300) << "this test lives less than five minutes";
}

TEST(ProcessStart, AProcessMayHaveAnyName) {
  const Child child;
  for (int i = 0; i < 1000; ++i) {  // until it has that name
    std::ifstream file("/proc/" + std::to_string(child.pid()) + "/comm");
    std::string name;
    if (std::getline(file, name) && name[0] == ')') break;
    usleep(1000);
  }
  EXPECT_GE(start_time_of(child.pid()), start_time_of(getpid()));
}

TEST(ProcessStart, OneThatHasEndedAndOneThatNeverWasHaveNone) {
  Child child;
  child.kill_and_wait_for_its_end();
  EXPECT_EQ(start_time_of(child.pid()), 0u);
  EXPECT_EQ(start_time_of(0x7ffffff0), 0u);
}

}  // namespace
