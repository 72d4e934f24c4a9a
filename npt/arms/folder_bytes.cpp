// SPDX-License-Identifier: MIT
#include "folder_bytes.hpp"

#include <filesystem>

namespace maxlat::npt {

uint64_t bytes_below(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, unreadable))
    if (entry.is_regular_file(unreadable)) bytes += entry.file_size(unreadable);
  return bytes;
}

}  // namespace maxlat::npt
