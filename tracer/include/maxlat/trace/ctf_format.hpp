// SPDX-License-Identifier: MIT
//
// The trace on disk: Common Trace Format 1.8, as babeltrace2 2.0 and Trace Compass read it. The ring's memory IS the
// format (packet header and records are written as they lie there); this page says how its words are described.
//
//   DIR/<process>-<pid>/metadata                  TSDL text: what the session's metadata area holds, byte for byte
//   DIR/<process>-<pid>/<channel>-<slot>-<generation>   packets of one ring, one after another
//   DIR/<n>/<process>-<pid>/...                   the same, of the snapshot with number n (flight recorder)
//
// PACKET: struct maxlat_ring_packet (ring/layout.h), 112 bytes:
//   packet.header   u32 magic 0xC1FC1FC1, u8 uuid[16], u32 stream_id (the channel's index)
//   packet.context  u32 tid or cpu_id (the owner), u32 slot; then
//                   timestamp_begin, timestamp_end, content_size, packet_size (bits), packet_seq_num, records,
//                   events_discarded (= lost_full + lost_wrap + lost_big), lost_full, lost_wrap, lost_big: u64 each
//                   Owner and slot are one word to the ring, its stream instance (packet_prefix); they are described as
//                   context because that is what readers show beside every event. One file is one stream.
//   On disk packet_size is content_size (the consumer cuts the ring's padding), or up to 104 bytes more; content_size
//   is a multiple of 64 bits, and packet_seq_num counts the packets of the file from 0 without a hole as long as none
//   was lost: a piece of a packet that was taken early is a packet of its own. So packet_seq_num is not what the stamps
//   of the records show (record.h); all records of one packet bear the same stamp, that of the ring's packet.
// EVENT HEADER: the record word, little-endian bit fields, align 64: time, id, length, stamp (widths: ring/record.h);
//   id = LONG_ID: two more words, u32 length, u32 id, u64 time. What is declared of it, and why: ctf/metadata.cpp.
// EVENT CONTEXT, of channels that have it: u32 cpu_id, or of the kernel's u32 tid, and four bytes of padding.
// EVENT: description.hpp. name "PROVIDER:NAME", or NAME where it has no provider; loglevel = the Level's number.
// KERNEL: events of the kernel are a process "kernel" with the number 0: DIR/kernel-0, env domain = "kernel", names of
//   events and fields as LTTng's kernel tracer has them, by which others know them (attribution/lttng_names.hpp).
//   So tracer_name and its version are those of lttng-modules there: Trace Compass chooses by them which names it looks
//   for. written_by says whose trace it is. Until 26 November 2026 tracer_name did, as in a program's trace.
// VERSION: env has tracer_name "maxlat" (of the kernel written_by) and packet_format (ctf/tsdl.hpp); our own reader
//   reads every format there was.
// CLOCK: frequency of the counter (base/clock: source and error in its description), offset_s and offset to
//   CLOCK_REALTIME, measured at session start; env has the same offset to CLOCK_MONOTONIC in ns, the clock's source,
//   process, pid, hostname, session.
// WHOLE OR ABSENT: at any kill of the recorder, and while it records, a file holds whole packets and nothing else, for
//   any reader. The last may be an empty one, with the room for those to come in its padding (consumer/trace_file.hpp).
//   The metadata is replaced as a whole. After a power cut the tail may be no packet: our reader passes over it and
//   says so.
// THREADS: DIR/<process>-<pid>/.threads, text: what the threads were called (thread_names.hpp).
// BOOKS: DIR/<process>-<pid>/.books, text, one line a channel, word pairs in any order:
//     channel NAME produced N recorded N lost_full N lost_wrap N lost_big N lost_no_ring N lost_frozen N unfinished N
//       overwritten N not_written N delivery_max_ticks N
//   produced = the sum of all the others but the last, each 0 where it is not named; recorded = the records in the
//   channel's files. Where it is not 0, lost_first N is there, too: how many of lost_full were lost before the
//   channel's first event. The consumer writes it when it ends, or when a stop has made the numbers exact; without it
//   `maxlat trace check` says that the producer's side is not known. Its name begins with a dot, because CTF's readers
//   take every other file of the folder for a stream.
#pragma once

#include <array>
#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <maxlat/trace/description.hpp>
#include <span>
#include <string>
#include <string_view>

namespace maxlat::trace {

using Uuid = std::array<std::uint8_t, 16>;
Uuid random_uuid();

struct TraceClock {
  base::CounterClock counter;
  std::int64_t realtime_offset_ns = 0;   // CLOCK_REALTIME at counter value 0
  std::int64_t monotonic_offset_ns = 0;  // CLOCK_MONOTONIC at counter value 0
  Uuid uuid{};  // traces of one clock have one; all zero: a clock of this trace alone, which has the trace's
};

// Both offsets, each from the closest of several read pairs.
TraceClock trace_clock(const base::CounterClock& counter);

struct TraceEnvironment {
  Uuid uuid{};
  std::string session;
  std::string process;
  int pid = 0;
  std::string domain{};  // "kernel"; empty: a program's
};

// The beginning of a metadata text: trace, environment, clock.
std::string metadata_of_trace(const TraceEnvironment& environment, const TraceClock& clock);
// Who owns the packets of a channel. Those of a thread may have the CPU of each event with it, as CTF's event context
// `cpu_id`; those of the kernel are a CPU's, and each event has the thread it was recorded in, as `tid`. What a packet
// of the kernel's tells as lost was lost before its first event: the kernel's buffer gives its oldest events up.
enum class StreamKind { thread, thread_with_cpu, cpu, kernel };
inline bool is_of_cpu(StreamKind kind) {
  return kind == StreamKind::cpu || kind == StreamKind::kernel;
}
inline bool has_context(StreamKind kind) {
  return kind == StreamKind::thread_with_cpu || kind == StreamKind::kernel;
}
// Of an event with a context: bytes between its header and its fields. CPU or thread first, the rest is padding.
inline constexpr std::size_t kContextSize = 8;

// A channel: stream, packet context, event header, event context.
std::string metadata_of_channel(std::uint32_t stream_id, std::string_view name, StreamKind kind);
// One event of a channel; appended when it is first enabled there, before any record bears its id. Without a provider
// its name alone.
std::string metadata_of_event(std::uint32_t stream_id, std::uint32_t event_id, const EventDescription& event);

// The ring's 32-byte packet prefix.
std::array<std::uint8_t, 32> packet_prefix(const Uuid& uuid, std::uint32_t stream_id, std::uint64_t instance);

}  // namespace maxlat::trace
