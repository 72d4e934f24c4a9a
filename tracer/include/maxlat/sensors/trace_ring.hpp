// SPDX-License-Identifier: MIT
//
// A trace in a group: a ring of packets that the program overwrites, and that any number of monitors may read while it
// goes on. Events, posts, and what monitors get are those of a list of events (event_list.hpp):
//
//   MAXLAT_TRACE_EVENT(robot, said, (std::uint32_t, axis), (maxlat::trace::String<1000>, text))
//
//   struct RobotSensors {
//     maxlat::sensors::TraceRing<8, 65536, MAXLAT_LISTED_EVENT(robot, said)> trace{"trace", "what it did just now"};
//   };
//   MAXLAT_SENSORS(robot, RobotSensors)
//
//   MAXLAT_POST(robot->trace, robot, said, axis, text);
//
// It has kPackets packets of kBytes bytes. What is written, and how it compares with a list: trace_ring.h.
// OVERWRITTEN is the oldest packet, with all its events. DROPPED, and counted, is a post that comes round to the packet
// of one that it interrupted. A type that may not fit into a packet does not compile.
// MEMORY: a packet more than it has, and a page or two; it lies in the program's file, too. A post has the largest of
// the event on its stack.
// COST of a post of three 64-bit fields: 96 instructions, none of them locked (sensors/cost_test.cpp); with each new
// packet one or two are (ring/reserve.h).
// ERRORS: as of an EventList. THREADS, SIGNALS: one thread and its signal handlers. Async-signal-safe, never waits.
#pragma once

#include <maxlat/ring/freeze.h>
#include <maxlat/ring/record_write.h>
#include <maxlat/sensors/trace_ring.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <maxlat/sensors/listed_types.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/current_cpu.hpp>

namespace maxlat::sensors {

namespace detail {

inline constexpr maxlat_ring_freeze kNeverFrozen{};

// A ring as maxlat_ring_create() leaves it, before its first record.
template <std::size_t kPackets, std::size_t kBytes>
struct RingWords {
  static constexpr std::uint32_t kRingBits = std::countr_zero(kPackets), kSubBufferBits = std::countr_zero(kBytes);
  static constexpr std::size_t kCells = maxlat_trace_ring_cells(kRingBits);
  static constexpr std::size_t kMemory = maxlat_trace_ring_memory(kRingBits);
  static constexpr std::size_t kTotal = maxlat_trace_ring_total({kSubBufferBits, kRingBits, 0, 0, 0});

  constexpr RingWords() {
    header.magic = MAXLAT_RING_MAGIC;
    header.version = MAXLAT_RING_VERSION;
    header.header_size = sizeof header;
    header.features = MAXLAT_RING_OVERWRITE;
    header.sub_buffer_bits = kSubBufferBits;
    header.ring_bits = kRingBits;
    header.total_size = kTotal;
    header.cells_offset = kCells;
    header.memory_offset = kMemory;
    header.open_packet = std::uint64_t{0} - kBytes;  // none
    // Of the pass before the first, which no reader asks for.
    for (std::uint64_t i = 0; i < kPackets; ++i)
      cells[i].reference = i | (i * kBytes - kPackets * kBytes) >> kSubBufferBits << MAXLAT_RING_REF_TAG_SHIFT;
  }

  maxlat_ring view() {
    return {.write_count = &header.write_count,
            .memory = memory,
            .shape = maxlat_ring_shape_of(kSubBufferBits, kRingBits),
            .features = MAXLAT_RING_OVERWRITE,
            .owner = 0,
            .cells = cells,
            .header = &header,
            .freeze = &kNeverFrozen};
  }

  maxlat_ring_header header{};
  std::uint64_t commit_count[kPackets]{};
  std::uint8_t before_cells[kCells - sizeof(maxlat_ring_header) - kPackets * sizeof(std::uint64_t)]{};
  maxlat_ring_cell cells[kPackets]{};
  std::uint8_t before_memory[kMemory - kCells - kPackets * sizeof(maxlat_ring_cell)]{};
  std::uint8_t memory[kTotal - kMemory]{};
};

}  // namespace detail

template <std::size_t kPackets, std::size_t kBytes, class... Named>
class TraceRing {
  static_assert(std::has_single_bit(kPackets) && kPackets >= 2 && kPackets <= 1u << MAXLAT_RING_MAX_RING_BITS,
                "packets: a power of two, from 2 to 128");
  static_assert(std::has_single_bit(kBytes) && kBytes >= 1u << MAXLAT_RING_MIN_SUB_BUFFER_BITS &&
                    kBytes <= 1u << MAXLAT_TRACE_RING_MAX_SUB_BUFFER_BITS,
                "bytes of a packet: a power of two, from 2^8 to 2^22");

  using Types = detail::ListedTypes<Named...>;
  using Ring = detail::RingWords<kPackets, kBytes>;
  // With the record's words, of a long one.
  static_assert(Types::kMostOfAll + MAXLAT_TRACE_RING_CPU + sizeof(maxlat_ring_long) + 7 <=
                    kBytes - MAXLAT_RING_PACKET_HEADER,
                "an event of the trace does not fit into a packet");
  static constexpr maxlat_trace_ring_shape kShape{Ring::kSubBufferBits, Ring::kRingBits, Types::kTypes, Types::kFields,
                                                  Types::kLabels};

 public:
  constexpr TraceRing(const Name& name, const About& about = "")
      : head_(sensor_head(MAXLAT_SENSOR_TRACE, MAXLAT_TRACE_RING_VERSION, maxlat_trace_ring_size(kShape), kThread, name,
                          "", about, {maxlat_trace_ring_sizes(kShape), maxlat_trace_ring_word(kShape)})),
        tables_(Types::tables()) {
    static_assert(sizeof(TraceRing) == maxlat_trace_ring_size(kShape));
    static_assert(offsetof(Ring, commit_count) == sizeof(maxlat_ring_header) && offsetof(Ring, cells) == Ring::kCells &&
                  offsetof(Ring, memory) == Ring::kMemory && sizeof(Ring) == Ring::kTotal);
  }

  // By MAXLAT_POST. `Posted`: one of the trace's.
  template <class Posted>
  [[gnu::always_inline]] void post(const typename Posted::Event::Values& values) {
    constexpr std::uint32_t kId = Types::template number_of<Posted>() + 1;
    Posted::Event::give(values, [&](auto types, const auto&... fields) {
      constexpr std::size_t kCpuWords = MAXLAT_TRACE_RING_CPU / sizeof(std::uint64_t);
      std::uint64_t words[kCpuWords + Types::template kStaged<Posted>];
      words[0] = trace::detail::current_cpu();
      const std::size_t size = detail::stage_fields<Types::template kFixed<Posted>, Types::template kMost<Posted>>(
          words + kCpuWords, types, fields...);
      const maxlat_ring ring = ring_.view();
      maxlat_ring_record record;
      if (!maxlat_ring_record_begin(MAXLAT_RING_THREAD, &ring, kId, MAXLAT_TRACE_RING_CPU + size, &record)) return;
      std::memcpy(record.payload, words, sizeof(std::uint64_t) * (kCpuWords + detail::words_of(size)));
      maxlat_ring_record_end(MAXLAT_RING_THREAD, &ring, &record);
    });
  }

 private:
  maxlat_sensor head_;
  typename Types::Tables tables_;
  alignas(MAXLAT_RING_LINE) Ring ring_;
};

}  // namespace maxlat::sensors
