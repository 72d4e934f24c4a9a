// SPDX-License-Identifier: MIT
//
// The events of one stream file, in the order of the file, which is the order of time. Packet by packet, for who wants
// to know about packets; reader.hpp merges streams.
//
// TRUST: as packet_file.hpp. A damaged record ends its packet, not the file; breaks() has every such place. An
// event whose type was not described when reading began, and is now, ends the walk: a trace that grows is read up to
// there.
#pragma once

#include <maxlat/ring/walk.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <maxlat/trace/packet_file.hpp>
#include <maxlat/trace/trace_description.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace maxlat::trace {

struct TraceStream {
  const TraceProcess* process = nullptr;
  const TraceChannel* channel = nullptr;
  std::string channel_name;
  std::string file;
  std::uint32_t owner = 0;  // thread id or CPU
  std::uint32_t slot = 0;
  std::size_t number = 0;             // of all streams of a reader, from 0
  std::span<const ThreadName> names;  // of its thread, in the order of time; empty: not known
};

// What a stream has told of itself so far. Counts what was read, whether wanted or not; losses are those that the last
// packet tells.
struct StreamBooks {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;              // of packets
  std::uint64_t records = 0;            // as the packets say
  std::uint64_t records_elsewhere = 0;  // in packets left to another file (leave_from)
  std::uint64_t lost_full = 0;
  std::uint64_t lost_wrap = 0;
  std::uint64_t lost_big = 0;
};

// What the packets of a stream tell of events that are not there, and where: between two events of the stream.
//
// A packet's counts are those of its end. An event is lost in a full ring when it has no room in the packet and the
// next cannot be entered, so that place is behind the packet's last event (but for smaller ones, that still had room).
// The other causes may be anywhere in the packet: then `after_ns` is the last event of the packet before. Of the
// kernel's (StreamKind::kernel) it is known to be before the packet's first event.
struct StreamLoss {
  std::uint64_t full = 0;  // events, by cause
  std::uint64_t wrap = 0;
  std::uint64_t big = 0;
  std::uint64_t packets = 0;              // missing by the numbers of the others, with an unknown number of events
  std::optional<std::int64_t> after_ns;   // none: from the beginning of the stream
  std::optional<std::int64_t> before_ns;  // none: to its end

  std::uint64_t events() const { return full + wrap + big; }
  bool any() const { return events() + packets != 0; }
  void add(const StreamLoss& later);
};

struct RecordedEvent {
  const EventType* type = nullptr;
  const TraceStream* stream = nullptr;
  std::uint64_t ticks = 0;
  std::int64_t time_ns = 0;               // CLOCK_REALTIME
  std::uint64_t size = 0;                 // of the whole record
  std::span<const std::uint8_t> payload;  // with its padding; valid until the next event is asked for
  std::optional<std::uint32_t> cpu{};  // where its channel has that in each event; 0xffffffff: the tracer did not know
  std::optional<std::uint32_t> thread{};  // of an event of the kernel: that it was recorded in, or interrupted
  const ThreadName* thread_name =
      nullptr;                       // of its thread at that time, or nothing: not known; lives as long as the process
  const StreamLoss* loss = nullptr;  // between this event and the one given before it in its stream; or nothing
};

struct ReadOptions {
  std::function<bool(const EventType&)> wants_event;     // empty: all of them
  std::function<bool(const TraceStream&)> wants_stream;  // asked once, before the first event of a stream
  // Of a wanted stream whose events have their CPU; empty: all of them.
  std::function<bool(const TraceStream&, std::uint32_t cpu)> wants_cpu;
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::min();  // events with begin <= time < end
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::max();
};

// Ticks that grow by small steps, to nanoseconds without a wide division for each. Gives exactly TraceTime's answer.
class TickConverter {
 public:
  explicit TickConverter(const TraceTime& time);
  std::int64_t operator()(std::uint64_t ticks) {
    if (ticks - base_ticks_ >= kReach) rebase(ticks);
    return static_cast<std::int64_t>(base_ns_ + (rest_ + (ticks - base_ticks_) * kSecond) / frequency_);
  }

 private:
  static constexpr std::uint64_t kSecond = 1'000'000'000;
  static constexpr std::uint64_t kReach = std::uint64_t{1} << 33;  // kReach * kSecond + frequency fit in 64 bits
  void rebase(std::uint64_t ticks);

  std::uint64_t frequency_;
  std::uint64_t offset_ns_;
  std::uint64_t base_ticks_ = 0;
  std::uint64_t base_ns_ = 0;  // of CLOCK_REALTIME; in the arithmetic of 2^64
  std::uint64_t rest_ = 0;     // (base_ticks * kSecond) mod frequency
};

class StreamReader {
 public:
  // `process` and `options` must outlive the reader.
  StreamReader(const TraceProcess& process, const std::string& file, const ReadOptions& options,
               std::size_t number = 0);
  StreamReader(const StreamReader&) = delete;  // events point to stream()
  StreamReader& operator=(const StreamReader&) = delete;

  bool next_packet();                         // to the next packet that may have events in the wanted time
  bool next_in_packet(RecordedEvent& event);  // REQUIRES: next_packet() was true
  bool next(RecordedEvent& event) {
    while (!in_packet_ || !next_in_packet(event)) {
      if (!next_packet()) return false;
    }
    return true;
  }

  const maxlat_ring_packet& packet() const { return packets_.head(); }  // REQUIRES: next_packet() was true
  const TraceStream& stream() const { return stream_; }                 // complete once there was a packet
  const StreamBooks& books() const { return books_; }
  // What was lost after the last event that was given. Complete once next() has said no.
  const StreamLoss& loss_at_end() const { return pending_; }
  // Packets that begin at this time or later stand in another file, too, which is read instead (reader.hpp).
  void leave_from(std::uint64_t ticks) { leave_from_ = ticks; }
  const std::vector<TraceBreak>& breaks() const { return breaks_; }

 private:
  struct Known {
    const EventType* type = nullptr;
    bool wanted = false;
  };
  bool begin_stream();
  void count_packet(const maxlat_ring_packet& head);
  void end_of_packet();
  void meet(std::uint64_t ticks);
  void pass_names(std::uint64_t ticks);
  const Known& known(std::uint32_t id);
  void break_in_packet(std::uint64_t offset, std::string why);

  const ReadOptions& options_;
  TraceStream stream_;
  StreamBooks books_;
  PacketFile packets_;
  TickConverter time_;
  maxlat_ring_walk walk_{};
  std::size_t names_passed_ = 0;  // names[names_passed_ - 1] is the one that holds
  std::uint64_t next_name_from_ = ~std::uint64_t{0};
  std::uint64_t leave_from_ = ~std::uint64_t{0};
  std::uint64_t next_sequence_ = 0;
  std::optional<std::uint64_t> last_ticks_;  // of the last record that was met
  StreamLoss in_packet_loss_;                // told by the packet that is read
  StreamLoss pending_;                       // told by those before it, and not given yet
  StreamLoss given_;
  bool in_packet_ = false;
  bool ended_ = false;
  std::vector<Known> by_id_;  // of ids that fit in a record word
  Known far_;                 // the last id looked up that does not
  std::uint32_t far_id_ = 0;
  bool told_unknown_ = false;
  std::vector<TraceBreak> breaks_;
};

}  // namespace maxlat::trace
