// SPDX-License-Identifier: MIT
//
// Memory for the loads that press on caches and memory: sized after the last-level cache, capped so that all workers of
// a load together never take more than a quarter of the machine's memory (a load must not bring the out-of-memory
// killer).
#pragma once

#include <cstddef>
#include <maxlat/core/sys/result.hpp>
#include <span>

namespace maxlat::loadgen {

size_t last_level_cache_bytes();  // 32 MiB where the machine does not tell
// `wanted` for one worker of `workers`, capped as above, at least 1 MiB, a power of two (rounded down).
size_t worker_memory_bytes(size_t wanted, size_t workers);
// Anonymous memory, untouched; it goes with the process. Touching gigabytes takes seconds on a busy box, so the loads
// do it as their first round of work, where the supervisor sees it progress.
core::Result<std::span<std::byte>> take_memory(size_t bytes);

}  // namespace maxlat::loadgen
