// SPDX-License-Identifier: MIT
// For tests: what happens in a child process.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace maxlat::trace::test {

// Runs in a child what ends in a status. RETURNS: that status, or 1000 + the signal that killed it.
template <class Child>
int in_child(Child child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace maxlat::trace::test
