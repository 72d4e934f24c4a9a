// SPDX-License-Identifier: MIT
//
// Uses memory once and gives it back, so that the page cache which a trace fills next is made of pages that were used
// before. In a virtual machine a page that nobody used, or that lay free for some seconds, has first to come from the
// host, at some hundred MB/s: the highest rate of a fast tracer would be that of the host, and another in each search
// (seen: 14, 23 and 17 million events a second, one after the other). On metal it changes nothing.
#pragma once

#include <cstdint>

namespace maxlat::npt {

// At most half of what is available; less when it cannot be had.
void supply_memory(std::uint64_t bytes);

}  // namespace maxlat::npt
