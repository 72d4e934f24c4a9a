// SPDX-License-Identifier: MIT
// For tests: a directory in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <maxlat/base/owned.hpp>
#include <maxlat/sensors/directory.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <string>
#include <vector>

namespace maxlat::sensors::test {

// A folder for sockets, for as long as a test takes.
class Places {
 public:
  std::string path() const { return folder_ / "d"; }
  std::vector<std::string> all() const { return {path()}; }

 private:
  maxlat::test::TemporaryFolder folder_;
};

// In a process of its own: where a test forks, it has no thread that holds a lock of the heap.
class RunningDirectory {
 public:
  explicit RunningDirectory(const Places& places, DirectoryOptions options = {}) {
    options.path = places.path();
    const base::Descriptor listens(eventfd(0, EFD_CLOEXEC));
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      auto opened = Directory::open(std::move(options));
      if (!opened) std::fprintf(stderr, "%s\n", opened.error().text.c_str());
      tell(listens);
      const bool well = opened && (*opened)->serve(std::array{end_.number()}).ok();
      if (well) opened->reset();
      _exit(well ? 0 : 1);
    }
    std::uint64_t told = 0;
    EXPECT_EQ(read(listens.number(), &told, sizeof told), static_cast<ssize_t>(sizeof told));
  }
  ~RunningDirectory() {
    tell(end_);
    int status = -1;
    waitpid(process_, &status, 0);
    EXPECT_EQ(status, 0) << "the directory served to its end";
  }
  RunningDirectory(const RunningDirectory&) = delete;
  RunningDirectory& operator=(const RunningDirectory&) = delete;

 private:
  static void tell(const base::Descriptor& event) {
    const std::uint64_t one = 1;
    EXPECT_EQ(write(event.number(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }

  base::Descriptor end_{eventfd(0, EFD_CLOEXEC)};
  pid_t process_ = -1;
};

}  // namespace maxlat::sensors::test
