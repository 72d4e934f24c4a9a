// SPDX-License-Identifier: MIT
// For tests: a directory in a folder of its own, in a thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <filesystem>
#include <maxlat/base/owned.hpp>
#include <maxlat/sensors/directory.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace maxlat::sensors::test {

// A folder for sockets, for as long as a test takes.
class Places {
 public:
  Places() : folder_(testing::TempDir() + "maxlat-directory-XXXXXX") {
    if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder");
  }
  ~Places() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/d"; }
  std::vector<std::string> all() const { return {path()}; }

 private:
  std::string folder_;
};

class RunningDirectory {
 public:
  explicit RunningDirectory(const Places& places, DirectoryOptions options = {}) {
    options.path = places.path();
    auto opened = Directory::open(std::move(options));
    if (!opened) throw std::runtime_error(opened.error().text);
    directory_ = std::move(*opened);
    thread_ = std::thread([this] { EXPECT_TRUE(directory_->serve(end_.number())); });
  }
  ~RunningDirectory() {
    const std::uint64_t one = 1;
    EXPECT_EQ(write(end_.number(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
    thread_.join();
  }

 private:
  base::Descriptor end_{eventfd(0, EFD_CLOEXEC)};
  std::unique_ptr<Directory> directory_;
  std::thread thread_;
};

}  // namespace maxlat::sensors::test
