// SPDX-License-Identifier: MIT
//
// A folder of our own for files that nobody keeps, mode 0700, removed with all that is in it when its owner goes. One
// that is killed leaves it behind: nothing in it may be needed, or in the way, later.
#pragma once

#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace maxlat::core {

class TemporaryFolder {
 public:
  // place/NAME.XXXXXX, with six letters that make it a new one.
  static Result<TemporaryFolder> make(const std::string& place, std::string_view name);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty: moved away
};

// A file of our own in `place` that nobody else can open and that is gone with its descriptor, whoever is killed. On a
// file system that has none without a name (overlayfs, NFS) it has one for a moment.
Result<base::Descriptor> file_without_a_name(const std::string& place);

}  // namespace maxlat::core
