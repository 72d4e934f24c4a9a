// SPDX-License-Identifier: MIT
#include "recording_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "kernel/kernel_recording.hpp"

namespace maxlat::trace_tools {

RecordingFolder::~RecordingFolder() {
  std::error_code failed;
  if (prepared_ && !is_used_) std::filesystem::remove_all(path_ + "/" + kKernelFolder, failed);
  if (made_) rmdir(path_.c_str());  // refused unless it is empty
}

core::Status RecordingFolder::prepare(const std::string& directory) {
  std::error_code error;
  path_ = directory;
  made_ = std::filesystem::create_directories(directory, error);
  if (error) return core::Error{fmt::format("cannot create the folder {}: {}", directory, error.message())};
  const bool empty = std::filesystem::is_empty(directory, error);
  if (error) return core::Error{fmt::format("cannot look into {}: {}", directory, error.message())};
  prepared_ = empty;
  if (empty) return {};
  return core::Error{directory + " is not empty", "a recording has a folder of its own: name another with -o"};
}

}  // namespace maxlat::trace_tools
