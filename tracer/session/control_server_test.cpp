// SPDX-License-Identifier: MIT
// The control thread of a program: without file descriptors, and while the program waits for its recorder.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <maxlat/base/owned.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/control.hpp>
#include <maxlat/trace/control_protocol.hpp>
#include <string>
#include <vector>

#include "session/control_server.hpp"

namespace maxlat::trace {
namespace {

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

bool connects(int caller, pid_t program = getpid()) {
  const sockaddr_un address = address_of(socket_path(program));
  return connect(caller, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool is_answered(int caller) {
  char reply[kMaxMessage];
  if (send(caller, "hello", 5, MSG_NOSIGNAL) != 5) return false;
  const ssize_t size = recv(caller, reply, sizeof reply, 0);
  return size > 2 && std::string(reply, 3) == "ok\n";
}

// RETURNS: which step failed; 0: none.
int call_a_program_without_descriptors() {
  const int first = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const int caller = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (first < 0 || caller < 0 || !open_control()) return 1;
  // Our thread is at work from here on: UBSan cannot look at its first virtual call without a descriptor.
  if (!connects(first) || !is_answered(first)) return 8;
  rlimit few{256, 256};
  if (setrlimit(RLIMIT_NOFILE, &few) != 0) return 2;
  std::vector<int> all;
  for (int file; (file = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) all.push_back(file);
  if (all.empty()) return 3;
  const std::int64_t cpu = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID), wall = nanoseconds_of(CLOCK_MONOTONIC);
  if (!connects(caller)) return 4;
  poll(nullptr, 0, 500);  // the time over which CPU time is measured
  const std::int64_t used = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  if (used > (nanoseconds_of(CLOCK_MONOTONIC) - wall) / 20) return 5;
  // Once there is a descriptor the call is taken.
  close(all.back());
  return is_answered(caller) ? 0 : 7;
}

TEST(ControlWithoutDescriptors, ACallThatCannotBeTakenWaitsAndCostsNoCpuTime) {
  const maxlat::test::TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
    _exit(call_a_program_without_descriptors());
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "step " << WEXITSTATUS(status);
}

// A program that called home and waits. It writes a byte when it begins, and ends when we have read it.
class WaitingProgram : public testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
    const std::string home = std::string(folder_.path()) + "/home";
    const base::Descriptor listener(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(home);
    ASSERT_EQ(bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(listener.number(), 1), 0);
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    begun_ = base::Descriptor(ends[0]);
    const base::Descriptor tells(ends[1]);
    program_ = fork();
    if (program_ == 0) {
      setenv(kControlVariable, ("connect:" + home).c_str(), 1);
      setenv(kWaitVariable, "600s", 1);
      detail::serve_environment();
      _exit(write(tells.number(), "", 1) == 1 ? 0 : 1);
    }
    recorder_ = base::Descriptor(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(recorder_);
    ASSERT_TRUE(is_answered(recorder_.number()));
  }

  void TearDown() override {
    if (program_ > 0) waitpid(program_, nullptr, 0);
    unsetenv("XDG_RUNTIME_DIR");
  }

  bool begins_within(int milliseconds) {
    pollfd begun{begun_.number(), POLLIN, 0};
    return poll(&begun, 1, milliseconds) == 1;
  }

  // RETURNS: another controller, whose first request was answered.
  base::Descriptor other_controller() {
    base::Descriptor caller(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    EXPECT_TRUE(connects(caller.number(), program_) && is_answered(caller.number()));
    return caller;
  }

  static constexpr int kMinute_ms = 60'000;
  const maxlat::test::TemporaryFolder folder_;
  base::Descriptor begun_, recorder_;
  pid_t program_ = -1;
};

TEST_F(WaitingProgram, ControllersThatComeAndGoDoNotLetItBegin) {
  other_controller();  // gone at once
  other_controller();  // answered: so the end of the first was seen
  EXPECT_FALSE(begins_within(100));
  ASSERT_EQ(send(recorder_.number(), "resume", 6, MSG_NOSIGNAL), 6);
  EXPECT_TRUE(begins_within(kMinute_ms));
}

TEST_F(WaitingProgram, BeginsWhenItsRecorderIsGone) {
  recorder_ = {};
  EXPECT_TRUE(begins_within(kMinute_ms));
}

}  // namespace
}  // namespace maxlat::trace
