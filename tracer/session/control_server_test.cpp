// SPDX-License-Identifier: MIT
// The control thread of a program that is out of file descriptors.
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
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/control.hpp>
#include <maxlat/trace/control_protocol.hpp>
#include <string>
#include <vector>

namespace maxlat::trace {
namespace {

std::int64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

bool connects(int caller) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path(getpid()).c_str(), sizeof address.sun_path - 1);
  return connect(caller, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
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

}  // namespace
}  // namespace maxlat::trace
