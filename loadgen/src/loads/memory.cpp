// SPDX-License-Identifier: MIT
//
// Memory bandwidth: copies one half of a buffer over the other, in pieces of 1 MiB, then that half back over the first,
// and so on. The buffer is larger than the last-level cache where memory allows, so the copies go to memory and fill
// its channels. To and fro, because the first round brings the pages: a half that was only ever read would be the
// kernel's one page of zeros, which is in the cache for ever.
#include <algorithm>
#include <cstring>
#include <maxlat/loadgen/load_definition.hpp>
#include <utility>

#include "worker_memory.hpp"

namespace maxlat::loadgen {
namespace {

constexpr size_t kPiece = 1 << 20;

core::Status copy(WorkerSlot& slot, size_t bytes) {
  core::Result<std::span<std::byte>> memory = take_memory(bytes);
  if (!memory) return memory.error();
  std::byte* from = memory->data();
  std::byte* to = from + bytes / 2;
  for (;; std::swap(from, to)) {
    for (size_t offset = 0; offset < bytes / 2; offset += kPiece) {
      std::memcpy(to + offset, from + offset, kPiece);
      asm volatile("" ::: "memory");  // the copy counts although nobody reads it
      slot.add(1);
    }
  }
}

}  // namespace

extern const LoadDefinition kMemoryLoad = {
    .kind = {"memory", "", "copies memory: fills the channels to memory", true},
    .unit = "MiB/s",
    .plan = [](std::string_view, const core::CpuList& cpus) -> core::Result<LoadPlan> {
      const size_t bytes = std::max(worker_memory_bytes(4 * last_level_cache_bytes(), cpus.size()), 2 * kPiece);
      return one_worker_per_cpu("memory", cpus, [bytes](WorkerSlot& slot) { return copy(slot, bytes); });
    },
};

}  // namespace maxlat::loadgen
