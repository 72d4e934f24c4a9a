// SPDX-License-Identifier: MIT
//
// For tests: a folder that stands for "/", with the files that a test puts there.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <maxlat/core/settings.hpp>
#include <maxlat/core/starvation.hpp>
#include <string>

namespace maxlat::core {

// /proc/PID/task/TID/stat of a thread.
inline std::string stat_line(unsigned tid, const std::string& comm, unsigned long flags, unsigned priority,
                             unsigned policy) {
  std::string line = std::to_string(tid) + " (" + comm + ") S";
  for (int field = 4; field <= 52; ++field) {
    const unsigned long value = field == 9 ? flags : field == 40 ? priority : field == 41 ? policy : 0;
    line += field == 8 ? " -1" : " " + std::to_string(value);
  }
  return line + "\n";
}

inline std::string stat_line(const TaskStat& task) {
  std::string line = std::to_string(task.id) + " (" + task.name + ") " + task.state;
  for (int field = 4; field <= 41; ++field)
    line += ' ' + std::to_string(field == 14   ? task.cpu_clock_ticks
                                 : field == 39 ? task.cpu
                                 : field == 40 ? static_cast<unsigned>(task.real_time_priority)
                                 : field == 41 ? static_cast<unsigned>(task.policy)
                                               : 0);
  return line + " 0 0\n";
}

class FakeRoot {
 public:
  FakeRoot() {
    static int count = 0;
    root_ = testing::TempDir() + "/maxlat-root-" + std::to_string(getpid()) + "-" + std::to_string(++count);
    std::filesystem::create_directories(root_);
  }
  ~FakeRoot() { std::filesystem::remove_all(root_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  void file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path, std::ios::binary) << text;
  }
  void directory(const std::string& path) { std::filesystem::create_directories(root_ + path); }
  void remove(const std::string& path) { std::filesystem::remove_all(root_ + path); }

  const std::string& path() const { return root_; }
  MachineView view(const CpuList& measured) const { return {root_, measured}; }

 private:
  std::string root_;
};

}  // namespace maxlat::core
