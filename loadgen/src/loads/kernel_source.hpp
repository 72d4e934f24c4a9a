// SPDX-License-Identifier: MIT
//
// Where the source tree of a kernel is, for the load that builds one.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>

namespace maxlat::loadgen {

// The tree that the user named, as an absolute path. ERRORS: it is none (no directory, no Makefile).
core::Result<std::string> kernel_source_at(std::string_view path);
// The user named none: the tree `linux` in this folder (/usr/src), else the newest linux-source-*, as Debian's package
// linux-source has it when it was unpacked. ERRORS: there is none; the hint is the package, or the command that unpacks
// its archive. (The load does not: it would be another load for a minute, and again in each phase.)
core::Result<std::string> find_kernel_source(std::string_view folder);

}  // namespace maxlat::loadgen
