// SPDX-License-Identifier: MIT
//
// The results below a folder. A folder with a result.json is a run, and nothing below it is another; elsewhere every
// .json file that begins as a result of ours is one. Links to folders are not followed.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::reports {

// Enough of a file to see that it is another one than before.
struct FileStamp {
  int64_t bytes = 0, changed_ns = 0;  // the time since 1970
  bool operator==(const FileStamp&) const = default;
};

struct JsonFile {
  std::string path;  // from the folder
  FileStamp stamp;
};

struct JsonFiles {
  std::vector<JsonFile> files;      // by path; which of them are results only may_be_a_result() tells
  std::vector<std::string> unseen;  // folders that could not be looked into, and why
};

// ERRORS: no such folder, cannot be read.
core::Result<JsonFiles> json_files(const std::string& folder);
bool looks_like_a_result(const std::string& path);
// Also one that cannot be opened, is empty or begins with zeros, as a full disk or a power cut leaves it, and every
// result.json: reading it says why it is none. No other tool's file is so.
bool may_be_a_result(const std::string& path);

}  // namespace maxlat::reports
