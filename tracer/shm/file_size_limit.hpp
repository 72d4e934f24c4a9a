// SPDX-License-Identifier: MIT
//
// Whether a file of shared memory may be as long as it shall be: asked first, because the kernel's other answer is
// SIGXFSZ.
#pragma once

#include <cstdint>
#include <maxlat/base/result.hpp>
#include <string>

namespace maxlat::trace {

// `what`: "a session's memory". ERRORS: it is above the limit of file sizes, which the line names.
base::Status check_file_size_limit(const std::string& what, std::uint64_t size, const std::string& hint);

}  // namespace maxlat::trace
