// SPDX-License-Identifier: MIT
//
// Whether the kernel is locked down (kernel_lockdown(7)), as under Secure Boot: then it takes no module that is not
// signed with a key that it knows (integrity), and lets nobody trace it either (confidentiality).
#pragma once

#include <string>

namespace maxlat::core {

// "integrity" or "confidentiality"; "": it is not, or does not tell. `root` is "/" in life, a folder in tests.
std::string lockdown_in_force(const std::string& root = "/");

}  // namespace maxlat::core
