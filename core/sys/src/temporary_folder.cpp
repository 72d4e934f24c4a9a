// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

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

Result<base::Descriptor> file_without_a_name(const std::string& place) {
  base::Descriptor file(::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  std::string pattern = place + "/maxlat.XXXXXX";
  file = base::Descriptor(::mkostemp(pattern.data(), O_CLOEXEC));
  if (!file) return system_error("cannot make a temporary file in " + place, errno);
  ::unlink(pattern.c_str());
  return file;
}

}  // namespace maxlat::core
