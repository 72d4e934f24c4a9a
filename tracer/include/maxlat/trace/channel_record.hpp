// SPDX-License-Identifier: MIT
//
// One event into one channel of any kind, with all the questions asked: which kind, which ring, does somebody wait for
// it. Off the fast path of a C++ probe (probe.hpp), and all of a C one (c/record.cpp).
#pragma once

#include <maxlat/ring/record_write.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <maxlat/trace/other_channel.hpp>
#include <maxlat/trace/thread.hpp>

namespace maxlat::trace::detail {

// `store(uint8_t*)` puts `size` bytes there.
template <maxlat_ring_ownership Ownership, class Store>
[[gnu::always_inline]] inline bool record_in(const maxlat_ring* ring, maxlat_ring_cpu cpu, std::uint32_t id,
                                             std::size_t size, maxlat_ring_record& place, Store store) {
  if (!maxlat_ring_record_begin_on(Ownership, ring, cpu, id, size, &place)) return false;
  store(place.payload);
  maxlat_ring_record_end(Ownership, ring, &place);
  return true;
}

template <class Store>
[[gnu::always_inline]] inline void record_as_it_is(unsigned number, std::uint32_t id, std::size_t size, Store store) {
  maxlat_ring_record place;
  if (number < kFastChannels) {
    const maxlat_ring* ring = ring_of(number);
    if (ring != nullptr) record_in<MAXLAT_RING_THREAD>(ring, maxlat_ring_unknown_cpu(), id, size, place, store);
    return;
  }
  const OtherChannel& channel = other_channel(number);
  const maxlat_ring* ring = nullptr;
  bool recorded = false;
  if (channel.per_cpu) {
    const maxlat_ring_cpu cpu{thread_state.cpu, current_cpu()};
    ring = ring_of_cpu(channel, number, cpu.chosen);
    recorded = ring != nullptr && record_in<MAXLAT_RING_CPU>(ring, cpu, id, size, place, store);
  } else {
    ring = ring_of(number);
    recorded =
        ring != nullptr && record_in<MAXLAT_RING_THREAD>(ring, maxlat_ring_unknown_cpu(), id, size, place, store);
  }
  if (MAXLAT_UNLIKELY(channel.wakeup >= 0) && recorded) wake_consumer(channel, ring, place);
}

// The CPU, in the first word of a payload: eight bytes, so that the fields behind it stay aligned. RETURNS: where they
// go.
inline constexpr std::size_t kContextSize = 8;
[[gnu::always_inline]] inline std::uint8_t* store_cpu(std::uint8_t* to, std::uint64_t cpu) {
  std::memcpy(to, &cpu, sizeof(cpu));
  return to + kContextSize;
}

template <class Store>
[[gnu::noinline]] void record_in_channel_with_cpu(unsigned number, std::uint32_t id, std::size_t size, Store store) {
  const std::uint32_t cpu = current_cpu();
  record_as_it_is(number, id, kContextSize + size, [&](std::uint8_t* to) { store(store_cpu(to, cpu)); });
}

// REQUIRES: inside.
template <class Store>
[[gnu::always_inline]] inline void record_in_channel(unsigned number, std::uint32_t id, std::size_t size, Store store) {
  if (MAXLAT_UNLIKELY(has_cpu_context(number)))
    record_in_channel_with_cpu(number, id, size, store);
  else
    record_as_it_is(number, id, size, store);
}

}  // namespace maxlat::trace::detail
