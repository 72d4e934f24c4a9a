// SPDX-License-Identifier: MIT
//
// Which maxlat this is: every result names it, and `maxlat --version` shows how it was built.
#pragma once

#include <string>

namespace maxlat::core {

// "maxlat 0.1.0": RunResult::tool.
std::string version_text();
// "gcc 12.2.0, RelWithDebInfo, x86_64, sanitizers: none, linked: dynamically, build fc3e074e69e701e6".
std::string build_text();

// Names this very build: the build id that the linker noted in the program, else "". Two programs with the same one are
// the same program, byte for byte.
std::string build_id();

}  // namespace maxlat::core
