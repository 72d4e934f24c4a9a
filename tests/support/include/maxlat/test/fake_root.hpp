// SPDX-License-Identifier: MIT
//
// A folder that stands for "/", with the files that a test puts there.
#pragma once

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
  TemporaryFolder folder_;
};

}  // namespace maxlat::test
