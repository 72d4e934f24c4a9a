// SPDX-License-Identifier: MIT
//
// Tracing an event.
//
//   MAXLAT_TRACE(motor, step, axis, position, "homing");
//
// from any thread, signal handler, constructor or destructor. The arguments are checked against the fields when this is
// compiled (too many, too few, narrowing: errors), evaluated once and only when somebody wants the event. errno is left
// alone.
//
// COST, of what is here, without the ring's own (ring/cost_test.cpp): disabled 2 instructions; enabled 14 more than the
// ring's record path. Counted by session/cost_test.cpp: a whole event of three 64-bit fields is at most 60.
//
// HOW IT LIES IN THE PROGRAM. At the tracepoint: compare, branch, and out of line the arguments and a call. One
// function an event writes it in the fast case: one channel of the fast kind, a ring present, a short record in the
// middle of a packet. It calls nothing, so it has no registers to save. Everything else, several channels, rings per
// CPU, wakeups, the first event of a thread or of a packet, is in a second function that the first one jumps to.
#pragma once

#include <maxlat/ring/record_write.h>

#include <bit>
#include <cstdint>
#include <maxlat/trace/event.hpp>
#include <maxlat/trace/other_channel.hpp>
#include <maxlat/trace/thread.hpp>

namespace maxlat::trace::detail {

// The writing of one event, with the types of its fields. `Declared` is what MAXLAT_TRACE_EVENT made.
template <class Declared, class... Types>
class Probe {
 public:
  [[gnu::always_inline]] static void trace(Event&, Given<Types>... fields) { record(fields...); }

 private:
  static constexpr std::size_t kFixedSize = fixed_size(Declared::kDescription.fields);
  static constexpr bool kIsFixed = kFixedSize != 0 || sizeof...(Types) == 0;

  static constexpr std::uint32_t kAnyShortId = 1;

  static std::size_t payload_size([[maybe_unused]] Given<Types>... fields) {
    if constexpr (kIsFixed) {
      return kFixedSize;
    } else {
      return (FieldType<Types>::size(fields) + ... + std::size_t{0});
    }
  }

  [[gnu::noinline]] static void record(Given<Types>... fields) {
    ThreadState& thread = thread_state;
    enter(thread);
    // acquire [K3]: the ring's place, and the event's id, before the word that leads to them. Partner: release [K3] in
    // session/session_core.cpp. Shape: publish. Without it a thread could find its ring of an earlier channel of this
    // number.
    const maxlat_ring* ring = thread.ring[Declared::event.place.load(std::memory_order_acquire)];
    maxlat_ring_record place;
    if (MAXLAT_LIKELY(
            maxlat_ring_record_begin_common(MAXLAT_RING_THREAD, ring, kAnyShortId, payload_size(fields...), &place))) {
      // Events whose id is too long for a short record have no place in the fast case: the id is not looked at before.
      place.kind = Declared::event.kind | (kIsFixed ? 0 : maxlat_ring_record_kind(0, place.slot.size));
      finish<MAXLAT_RING_THREAD>(ring, place, fields...);
      leave(thread);
    } else {
      record_elsewhere(fields...);
    }
  }

  // Is inside already, and leaves.
  [[gnu::noinline]] static void record_elsewhere(Given<Types>... fields) {
    ThreadState& thread = thread_state;
    if (MAXLAT_LIKELY(thread.registered) || register_in_probe()) {
      // acquire [K3], as above. Asked only now: who stopped a channel before this thread was in the list has not waited
      // for it.
      std::uint32_t wanted = Declared::event.wanted.load(std::memory_order_acquire);
      for (; wanted != 0; wanted &= wanted - 1) {
        record_in_channel(static_cast<unsigned>(std::countr_zero(wanted)), fields...);
      }
    } else {
      lose(Declared::event.wanted.load(std::memory_order_relaxed));  // relaxed: the numbers are looked up under a lock
    }
    leave(thread);
  }

  template <maxlat_ring_ownership Ownership>
  [[gnu::always_inline]] static void finish(const maxlat_ring* ring, const maxlat_ring_record& place,
                                            Given<Types>... fields) {
    [[maybe_unused]] std::uint8_t* to = place.payload;
    ((to = FieldType<Types>::store(to, fields)), ...);
    maxlat_ring_record_end(Ownership, ring, &place);
  }

  template <maxlat_ring_ownership Ownership>
  [[gnu::always_inline]] static bool record_in(const maxlat_ring* ring, maxlat_ring_record& place,
                                               Given<Types>... fields) {
    if (!maxlat_ring_record_begin(Ownership, ring, Declared::event.id, payload_size(fields...), &place)) return false;
    finish<Ownership>(ring, place, fields...);
    return true;
  }

  // One channel of any kind.
  [[gnu::always_inline]] static void record_in_channel(unsigned number, Given<Types>... fields) {
    maxlat_ring_record place;
    if (number < kFastChannels) {
      const maxlat_ring* ring = ring_of(number);
      if (ring != nullptr) record_in<MAXLAT_RING_THREAD>(ring, place, fields...);
      return;
    }
    const OtherChannel& channel = other_channel(number);
    const maxlat_ring* ring = nullptr;
    bool recorded = false;
    if (channel.per_cpu) {
      ring = ring_of_cpu(channel, number);
      recorded = ring != nullptr && record_in<MAXLAT_RING_CPU>(ring, place, fields...);
    } else {
      ring = ring_of(number);
      recorded = ring != nullptr && record_in<MAXLAT_RING_THREAD>(ring, place, fields...);
    }
    if (MAXLAT_UNLIKELY(channel.wakeup >= 0) && recorded) wake_consumer(channel, ring, place);
  }
};

}  // namespace maxlat::trace::detail

// gcc only warns of narrowing what is no constant: here it is an error, as with clang.
#define MAXLAT_TRACE(provider, name, ...)                                                                           \
  do {                                                                                                              \
    if (MAXLAT_UNLIKELY(::maxlat::trace::detail::is_wanted(MaxlatTraceEvent_##provider##_##name::event.wanted))) {  \
      _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wnarrowing\"")                                \
          MaxlatTraceEvent_##provider##_##name::trace({__VA_ARGS__ __VA_OPT__(, )::maxlat::trace::EndOfFields{0}}); \
      _Pragma("GCC diagnostic pop")                                                                                 \
    }                                                                                                               \
  } while (false)
