// SPDX-License-Identifier: MIT
//
// The hash of fingerprints: tells states of a machine apart, protects against nothing. FNV-1a (Fowler, Noll and Vo), 64
// bits. THREAD-SAFETY: any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace maxlat::core {

// 16 hex digits.
std::string hash_text(std::string_view text);

}  // namespace maxlat::core
