// SPDX-License-Identifier: MIT
//
// Where a recording goes.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::trace_tools {

// A folder that was made for a recording that came to nothing goes again.
class RecordingFolder {
 public:
  RecordingFolder() = default;
  RecordingFolder(const RecordingFolder&) = delete;
  RecordingFolder& operator=(const RecordingFolder&) = delete;
  ~RecordingFolder();
  // ERRORS: it cannot be made, or something is in it.
  core::Status prepare(const std::string& directory);
  void is_used() { is_used_ = true; }

 private:
  std::string path_;
  bool made_ = false, prepared_ = false, is_used_ = false;
};

}  // namespace maxlat::trace_tools
