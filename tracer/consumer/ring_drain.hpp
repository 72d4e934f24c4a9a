// SPDX-License-Identifier: MIT
//
// One ring, on its way to one file. Knows what of the ring is on disk already, so that a packet that was taken in
// pieces (flush) loses no event and doubles none, and keeps the ring's books.
//
//   packet in the ring   | header | r r r r r r r r r r r r |
//   flush                | header'| r r r r |                  copied by maxlat_ring_copy_open
//   flush                                   | header"| r r r | copied again, its beginning left out
//   delivered                                                | header*| r r r r r |   from the mapping
//
// NUMBERS. On disk a piece counts as a packet, and each file begins with 0: packet_seq_num = the ring's number - that
// of the file's first packet + pieces more than packets so far. TIME. A piece begins with the full time of its first
// record, found by walking on from the last piece's end. LOST counters never go down in one file: each is at least what
// was written last.
//
// TRUST: as read.h; what a packet says of itself only ends up on disk. THREADS: one at a time.
#pragma once

#include <maxlat/ring/open_packet.h>
#include <maxlat/ring/read.h>

#include <array>
#include <cstdint>
#include <maxlat/trace/recorder.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "written_trace.hpp"

namespace maxlat::trace {

class RingDrain {
 public:
  // ERRORS: the ring's cells are damaged.
  static base::Result<RingDrain> start(MappedRing mapped, std::string file_name);

  // Packets that are ready, at most one ring full.
  void take_ready(WrittenTrace& folder);
  // What stands in the open packet, through `copy` (sub_buffer_size() bytes). RETURNS: false: a writer is inside, ask
  // again soon.
  bool take_open(WrittenTrace& folder, std::span<std::uint64_t> copy);
  // All that is left, when nobody writes here any more: also what a dead writer did not deliver.
  void recover(WrittenTrace& folder, std::span<std::uint64_t> copy);
  // From here on into another file, beginning with whole packets (a snapshot), which tells of losses from here on.
  void begin_new_file();

  bool has_ready() const;
  // Bytes that writers may still reserve before they find no room, or overwrite what was not taken. A hint.
  std::uint64_t room() const;
  bool has_file() const { return file_ != nullptr; }  // in the folder that is written
  const std::string& file_name() const { return name_; }
  // What its thread was called then: any bytes. Empty: not told. REQUIRES: ended().
  std::string name_at_end() const;
  bool ended() const;  // finalised, and all of it was taken
  bool broken() const { return broken_; }
  std::uint64_t sub_buffer_size() const { return reader_.ring.shape.sub_buffer_mask + 1; }

  // When everything was taken, and settled: what was lost behind the last packet is told by one without a record, for
  // readers that know nothing of our books. (Ours has the books, and passes over it.)
  void tell_late_losses(WrittenTrace& folder);
  // After each taking: looks at what the ring has counted, for add_to().
  void settle();
  // Adds this ring's numbers as they were when it was settled last. Exact when everything was taken and nobody wrote;
  // no number is ever less than it was before. `replaced`: another ring lies there now (overwriting channels reuse
  // ended slots), and what this one had counted is in the channel's `replaced` words.
  void add_to(ChannelBooks& books, bool replaced = false) const;

 private:
  RingDrain(MappedRing mapped, std::string file_name) : mapped_(std::move(mapped)), name_(std::move(file_name)) {}
  std::uint64_t write(WrittenTrace& folder, const std::uint8_t* bytes, const maxlat_ring_view& view, bool copied);
  using Losses = std::array<std::uint64_t, 3>;  // full, wrap, big
  Losses lost_so_far() const;
  void tell_losses(maxlat_ring_packet& head);
  std::uint64_t committed_in_open_packets() const;
  std::uint64_t delivered_by_ring() const;
  void settle_overwritten();
  void forget_early();
  void say_read();

  // How much of the packet `sequence` is on disk.
  struct Piece {
    std::uint64_t sequence = 0;
    std::uint64_t content = 0;
    std::uint64_t records = 0;
    std::uint64_t base = 0;  // for the truncated times of what follows
  };

  MappedRing mapped_;
  maxlat_ring_reader reader_{};
  std::string name_;
  std::unique_ptr<TraceFile> file_;
  std::optional<Piece> piece_;
  // The last packet of which a piece is on disk, in this file or another, and that was not taken whole since. When it
  // is overwritten, the records of the piece are recorded all the same.
  struct Early {
    std::uint64_t sequence = 0;
    std::uint64_t records = 0;
  };
  std::optional<Early> early_;
  std::optional<std::uint64_t> first_sequence_;  // in this file
  std::uint64_t more_pieces_ = 0;
  std::uint64_t looked_at_ = ~0ull;  // write_count when the open packet was taken last
  Losses lost_{};                    // by the packets written so far
  maxlat_ring_packet last_{};        // of them, in file_
  Losses lost_before_{};             // in earlier files
  bool broken_ = false;
  bool recovered_any_ = false;

  // books
  std::uint64_t read_before_ = 0;  // records that an earlier consumer took
  std::uint64_t delivered_ = 0;    // records of delivered packets that we took
  std::uint64_t recovered_ = 0;    // records of packets that were never delivered
  std::uint64_t recorded_ = 0;
  std::uint64_t not_written_ = 0;
  std::uint64_t unfinished_ = 0;
  std::uint64_t early_only_ = 0;    // recorded pieces of packets that were overwritten
  std::uint64_t overwritten_ = 0;   // the rest of such packets, and packets that we have nothing of
  std::uint64_t ring_open_ = 0;     // of the ring, when it was settled: committed and not delivered
  std::uint64_t ring_missing_ = 0;  // delivered and not taken; discard mode
  Losses ring_lost_{};
  std::uint64_t bytes_ = 0;
  std::uint64_t delivery_max_ticks_ = 0;
};

}  // namespace maxlat::trace
