// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <system_error>

namespace maxlat::core {

Result<TemporaryFolder> TemporaryFolder::make(const std::string& place, std::string_view name) {
  std::string path = place + "/" + std::string(name) + ".XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return system_error("cannot make a folder in " + place, errno, "is TMPDIR writable?");
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // nobody is left to tell
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace maxlat::core
