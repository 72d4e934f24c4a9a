// SPDX-License-Identifier: MIT
//
// A folder that stands for "/", with the files that a test puts there. In memory where there is a file system for that,
// as /proc and /sys are: thousands of small files that are written over make a disk wait.
#pragma once

#include <unistd.h>

#include <maxlat/test/temporary_folder.hpp>
#include <string>

namespace maxlat::test {

class FakeRoot {
 public:
  void file(const std::string& path, const std::string& text) { folder_.write(path, text); }
  void directory(const std::string& path) { std::filesystem::create_directories(folder_ / path); }
  void remove(const std::string& path) { std::filesystem::remove_all(folder_ / path); }

  const std::string& path() const { return folder_.path(); }

 private:
  static std::filesystem::path place() {
    constexpr const char* kInMemory = "/dev/shm";
    return ::access(kInMemory, W_OK | X_OK) == 0 ? kInMemory : std::filesystem::temp_directory_path();
  }

  TemporaryFolder folder_{place()};
};

}  // namespace maxlat::test
