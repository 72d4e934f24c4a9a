// SPDX-License-Identifier: MIT
//
// Which maxlat this is: every result names it, and `maxlat --version` shows how it was built.
#pragma once

#include <string>

namespace maxlat::core {

// "maxlat 0.1.0": RunResult::tool.
std::string version_text();
// "gcc 12.2.0, RelWithDebInfo, x86_64, sanitizers: none, linked: dynamically".
std::string build_text();

}  // namespace maxlat::core
