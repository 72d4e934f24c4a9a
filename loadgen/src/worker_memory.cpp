// SPDX-License-Identifier: MIT
#include "worker_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

namespace maxlat::loadgen {

constexpr size_t kMiB = 1 << 20;

size_t last_level_cache_bytes() {
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? static_cast<size_t>(bytes) : 32 * kMiB;
}

size_t worker_memory_bytes(size_t wanted, size_t workers) {
  const size_t machine = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t cap = machine / 4 / std::max<size_t>(workers, 1);
  return std::bit_floor(std::max(std::min(wanted, cap), kMiB));
}

core::Result<std::span<std::byte>> take_memory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return core::system_error("cannot take memory for a load", errno);
  return std::span(static_cast<std::byte*>(memory), bytes);
}

}  // namespace maxlat::loadgen
