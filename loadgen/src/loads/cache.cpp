// SPDX-License-Identifier: MIT
//
// Cache flooder: dirties one line after the other, in an order no prefetcher follows. All workers together cover twice
// the last-level cache, which they share. What another task had in it is gone when that runs again, and every line that
// goes must be written back first.
//
// The order is the full cycle of a linear congruential generator modulo a power of two (Hull and Dobell: odd increment,
// multiplier = 1 mod 4), so each line is visited once a round and no table of the order occupies the cache itself.
#include <maxlat/loadgen/load_definition.hpp>

#include "worker_memory.hpp"

namespace maxlat::loadgen {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kLinesOfABlock = 1 << 12;
constexpr uint64_t kMultiplier = 6364136223846793005u, kIncrement = 1442695040888963407u;

core::Status flood(WorkerSlot& slot, size_t bytes) {
  core::Result<std::span<std::byte>> memory = take_memory(bytes);
  if (!memory) return memory.error();
  volatile std::byte* const first = memory->data();
  const uint64_t mask = bytes / kLine - 1;
  for (uint64_t line = 0;;) {
    for (size_t i = 0; i < kLinesOfABlock; ++i) {
      line = (line * kMultiplier + kIncrement) & mask;
      first[line * kLine] = std::byte{0x55};
    }
    slot.add(kLinesOfABlock);
  }
}

}  // namespace

extern const LoadDefinition kCacheLoad = {
    .kind = {"cache", "", "dirties cache lines in random order over twice the last-level cache", true},
    .unit = "million lines/s",
    .scale = 1e-6,
    .plan = [](std::string_view, const core::CpuList& cpus) -> core::Result<LoadPlan> {
      const size_t bytes = worker_memory_bytes(2 * last_level_cache_bytes() / cpus.size(), cpus.size());
      return one_worker_per_cpu("cache", cpus, [bytes](WorkerSlot& slot) { return flood(slot, bytes); });
    },
};

}  // namespace maxlat::loadgen
