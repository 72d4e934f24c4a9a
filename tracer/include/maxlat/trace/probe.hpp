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
// COST, counted by session/cost_test.cpp for an event of three 64-bit fields: disabled 2 instructions, compare and
// branch. Enabled 54: the ring (reserve, record word, commit) takes 36, the fields 6, and the code here 12:
// look, call, in, place, ring, out, return. With the CPU as context: 62; three load and store it, the others keep the
// register that it needs and make the longer record's word. Rings per CPU: 60, two of them locked; five find the ring,
// two see that the thread is still on its CPU when it has read the clock (ring/reserve.h, TIME ORDER). Dropping an
// event in a full ring takes less than recording it. The longest path of a thread that is not moved meanwhile (a
// packet is closed and delivered, and the next one opened) stays below 300 in total.
//
// HOW IT LIES IN THE PROGRAM. At the tracepoint: compare, branch, and out of line the arguments and a call through the
// event, which leads to one of four functions, chosen when sessions change (Event::probe): for one channel of the fast
// kind, for one of that kind whose events have their CPU with them, for one with rings per CPU, and for all the rest:
// several channels, wakeups. The first three write a short record in the middle of a packet. They call nothing, so they
// have no registers to save (with the CPU: one). All other cases jump on: first to the code for the beginning or end of
// a packet, and from there, if there is no ring, to what the last function does: it registers a thread that was not
// prepared.
#pragma once

#include <maxlat/ring/record_write.h>

#include <bit>
#include <cstdint>
#include <maxlat/trace/channel_record.hpp>
#include <maxlat/trace/event.hpp>
#include <maxlat/trace/other_channel.hpp>
#include <maxlat/trace/parked.hpp>
#include <maxlat/trace/thread.hpp>

namespace maxlat::trace::detail {

// The writing of one event, with the types of its fields. `Declared` is what MAXLAT_TRACE_EVENT made.
template <class Declared, class... Types>
class Probe {
 public:
  [[gnu::always_inline]] static void trace(Event& event, Given<Types>... fields) {
    // acquire [K3]: the event's words before the function that looks at them; each looks again, inside, and goes
    // elsewhere where they say another thing by then. Not null: is_wanted() comes before, and acquires, too.
    reinterpret_cast<Function*>(event.probe.load(std::memory_order_acquire))(fields...);
  }

  static void choose(ProbeKind kind) {
    Function* const function = kind == ProbeKind::in_thread_ring            ? &record_in_thread_ring<kWithoutCpu>
                               : kind == ProbeKind::in_thread_ring_with_cpu ? &record_in_thread_ring<kWithCpu>
                               : kind == ProbeKind::in_cpu_ring             ? &record_in_cpu_ring
                                                                            : &record_anywhere;
    // release [K3], as the other words of session_core.cpp.
    Declared::event.probe.store(reinterpret_cast<void (*)()>(function), std::memory_order_release);
  }

 private:
  using Function = void(Given<Types>...);

  static constexpr std::size_t kFixedSize = fixed_size(Declared::kDescription.fields);
  static constexpr bool kIsFixed = kFixedSize != 0 || sizeof...(Types) == 0;

  static constexpr std::uint32_t kAnyShortId = 1;

  // Whether the event's CPU stands before its fields, and what that makes of sizes and of the record word's length.
  static constexpr bool kWithCpu = true, kWithoutCpu = false;
  static constexpr std::size_t context_size(bool with_cpu) { return with_cpu ? kContextSize : 0; }
  template <bool with_cpu>
  static std::uint64_t kind() {
    return Declared::event.kind + (with_cpu && kIsFixed ? kContextSize / 8 << MAXLAT_RING_LENGTH_SHIFT : 0);
  }
  template <bool with_cpu>
  static std::uint8_t* store_context(std::uint8_t* to) {
    if constexpr (with_cpu) to = store_cpu(to, *thread_state.cpu);
    return to;
  }

  static std::size_t payload_size([[maybe_unused]] Given<Types>... fields) {
    if constexpr (kIsFixed) {
      return kFixedSize;
    } else {
      return (FieldType<Types>::size(fields) + ... + std::size_t{0});
    }
  }

  template <bool with_cpu>
  static void record_in_thread_ring(Given<Types>... fields) {
    in_thread_ring<with_cpu>(Parked<Given<Types>>(fields)...);
  }
  static void record_in_cpu_ring(Given<Types>... fields) { in_cpu_ring(Parked<Given<Types>>(fields)...); }
  static void record_anywhere(Given<Types>... fields) {
    enter(thread_state);
    record_elsewhere(fields...);
  }

  template <bool with_cpu>
  [[gnu::always_inline]] static void in_thread_ring(Parked<Given<Types>>... parked) {
    ThreadState& thread = thread_state;
    enter(thread);
    // acquire [K3]: the ring's place, and the event's kind, before the word that leads to them. Partner: release [K3]
    // in session/session_core.cpp. Shape: publish. Without it a thread could find its ring of an earlier channel of
    // this number.
    const std::atomic<std::uint32_t>& place = with_cpu ? Declared::event.place_with_cpu : Declared::event.place;
    const maxlat_ring* ring = thread.ring[place.load(std::memory_order_acquire)];
    if (!try_common<MAXLAT_RING_THREAD, with_cpu>(thread, ring, maxlat_ring_unknown_cpu(), parked...)) {
      record_at_edge<MAXLAT_RING_THREAD, with_cpu>(ring, parked.field()...);
    }
  }

  [[gnu::always_inline]] static void in_cpu_ring(Parked<Given<Types>>... parked) {
    ThreadState& thread = thread_state;
    enter(thread);
    // acquire [K3], as above.
    const CpuRings* rings = Declared::event.cpu_rings.load(std::memory_order_acquire);
    const maxlat_ring_cpu cpu{thread.cpu, *thread.cpu};
    if (MAXLAT_UNLIKELY(cpu.chosen >= rings[0].count)) {
      record_elsewhere(parked.field()...);
      return;
    }
    const maxlat_ring* ring = rings[std::size_t{1} + cpu.chosen].ring;
    if (!try_common<MAXLAT_RING_CPU, kWithoutCpu>(thread, ring, cpu, parked...)) {
      record_at_edge<MAXLAT_RING_CPU, kWithoutCpu>(ring, parked.field()...);
    }
  }

  // What is not the common case. A ring that is full comes first, and needs no registers but those that are free.
  // `nowhere` is never full. Is inside already, and leaves.
  template <maxlat_ring_ownership Ownership, bool with_cpu>
  [[gnu::noinline]] static void record_at_edge(const maxlat_ring* ring, Given<Types>... fields) {
    if (maxlat_ring_drop(Ownership, ring, context_size(with_cpu) + payload_size(fields...))) {
      leave(thread_state);
    } else {
      record_beyond<Ownership, with_cpu>(ring, fields...);
    }
  }

  // A ring whose packet begins or ends here, or where time needs a long record: the longest way of all that make no
  // system call. Or, of a thread, `nowhere`.
  template <maxlat_ring_ownership Ownership, bool with_cpu>
  [[gnu::noinline]] static void record_beyond(const maxlat_ring* ring, Given<Types>... fields) {
    if constexpr (Ownership == MAXLAT_RING_THREAD) {
      if (MAXLAT_UNLIKELY(ring == &nowhere)) {
        record_elsewhere(fields...);
        return;
      }
    }
    const std::uint32_t id = Declared::event.id;
    if (id >= MAXLAT_RING_LONG_ID) __builtin_unreachable();  // as in try_common
    maxlat_ring_record record;
    const std::size_t size = context_size(with_cpu) + payload_size(fields...);
    if (maxlat_ring_record_begin_any(Ownership, ring, thread_state.cpu, id, size, &record)) {
      // What the compiler would work out from the id is ready.
      if (kIsFixed && record.slot.size == maxlat_ring_record_size(size)) record.kind = kind<with_cpu>();
      finish<Ownership, with_cpu>(ring, record, fields...);
    }
    leave(thread_state);
  }

  template <class Type>
  [[gnu::always_inline]] static std::uint8_t* store_parked(std::uint8_t* to, Parked<Given<Type>> parked) {
    if constexpr (requires { parked.store(to); }) {
      return parked.store(to);
    } else {
      return FieldType<Type>::store(to, parked.field());
    }
  }

  // A short record in the middle of a packet, and out. RETURNS: false: not that case; nothing happened.
  template <maxlat_ring_ownership Ownership, bool with_cpu>
  [[gnu::always_inline]] static bool try_common(ThreadState& thread, const maxlat_ring* ring, maxlat_ring_cpu cpu,
                                                Parked<Given<Types>>... parked) {
    maxlat_ring_record record;
    const std::size_t size = context_size(with_cpu) + payload_size(parked.field()...);
    if (MAXLAT_UNLIKELY(!maxlat_ring_record_begin_common(Ownership, ring, cpu, kAnyShortId, size, &record))) {
      return false;
    }
    [[maybe_unused]] std::uint8_t* to = store_context<with_cpu>(record.payload);
    ((to = store_parked<Types>(to, parked)), ...);
    // As maxlat_ring_record_end and _commit, with two differences. Events whose id is too long for a short record do
    // not come here, so the id is not looked at before, and the rest of the word is ready. And where a commit may have
    // filled its packet the way out is a jump, because a call would make this function save registers for it.
    const std::uint64_t packet = maxlat_ring_packet_number(&ring->shape, record.slot.position);
    const std::uint64_t length = kIsFixed ? 0 : maxlat_ring_record_kind(0, record.slot.size);
    maxlat_ring_record_finish(record.slot.bytes,
                              maxlat_ring_record_word(length, packet, record.slot.time) | kind<with_cpu>());
    std::uint64_t* const commit_count =
        record.slot.counts + MAXLAT_RING_COMMIT_COUNT + (packet & ring->shape.ring_mask);
    const std::uint64_t amount = record.slot.size + MAXLAT_RING_ONE_RECORD;
    // release [W1]: ring/commit.h
    const std::uint64_t committed = maxlat_ring_owner_add(Ownership, commit_count, amount) - MAXLAT_RING_ONE_RECORD;
    if (MAXLAT_UNLIKELY((committed & ring->shape.sub_buffer_mask) == 0)) {
      deliver_and_leave(ring, record.slot.position, committed);
    } else {
      leave(thread);
    }
    return true;
  }

  // Is inside already, and leaves.
  [[gnu::noinline]] static void record_elsewhere(Given<Types>... fields) {
    ThreadState& thread = thread_state;
    if (MAXLAT_LIKELY(thread.registered) || register_in_probe()) {
      // acquire [K3], as above. Asked only now: who stopped a channel before this thread was in the list has not waited
      // for it.
      std::uint32_t wanted = Declared::event.wanted.load(std::memory_order_acquire);
      for (; wanted != 0; wanted &= wanted - 1) {
        record_in_channel(
            static_cast<unsigned>(std::countr_zero(wanted)), Declared::event.id, payload_size(fields...),
            [&]([[maybe_unused]] std::uint8_t* to) { ((to = FieldType<Types>::store(to, fields)), ...); });
      }
    } else {
      lose(Declared::event.wanted);
    }
    leave(thread);
  }

  template <maxlat_ring_ownership Ownership, bool with_cpu>
  [[gnu::always_inline]] static void finish(const maxlat_ring* ring, const maxlat_ring_record& place,
                                            Given<Types>... fields) {
    [[maybe_unused]] std::uint8_t* to = store_context<with_cpu>(place.payload);
    ((to = FieldType<Types>::store(to, fields)), ...);
    maxlat_ring_record_end(Ownership, ring, &place);
  }
};

}  // namespace maxlat::trace::detail

// Whether somebody wants the event: before work that only its arguments need. Two instructions.
#define MAXLAT_TRACE_ENABLED(provider, name) \
  (::maxlat::trace::detail::is_wanted(MaxlatTraceEvent_##provider##_##name::event.wanted))

// gcc only warns of narrowing what is no constant: here it is an error, as with clang.
#define MAXLAT_TRACE(provider, name, ...)                                                                           \
  do {                                                                                                              \
    if (MAXLAT_UNLIKELY(MAXLAT_TRACE_ENABLED(provider, name))) {                                                    \
      _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wnarrowing\"")                                \
          MaxlatTraceEvent_##provider##_##name::trace({__VA_ARGS__ __VA_OPT__(, )::maxlat::trace::EndOfFields{0}}); \
      _Pragma("GCC diagnostic pop")                                                                                 \
    }                                                                                                               \
  } while (false)
