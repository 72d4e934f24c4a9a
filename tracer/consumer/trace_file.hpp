// SPDX-License-Identifier: MIT
//
// A file that grows by whole pieces: what append() could not write whole is cut off again. A kill in the middle of a
// write leaves a tail that is no whole packet; readers ignore it (ctf_format.hpp).
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <maxlat/base/result.hpp>
#include <string>

#include "shm/owned.hpp"

namespace maxlat::trace {

class TraceFile {
 public:
  // New, and only new.
  static base::Result<TraceFile> create(std::string path);

  // At most two parts. ERRORS: disk full and the like; the file is then as long as before.
  base::Status append(iovec first, iovec second = {});

  std::uint64_t size() const { return size_; }

 private:
  std::string path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace maxlat::trace
