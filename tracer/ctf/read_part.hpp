// SPDX-License-Identifier: MIT
// How bytes come from a stream's file: pread(2). Tests replace it with one that meets the writer inside a header.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace maxlat::trace {

using ReadPart = ssize_t (*)(int file, void* to, std::size_t size, off_t at);
extern ReadPart read_part;

}  // namespace maxlat::trace
