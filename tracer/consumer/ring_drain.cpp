// SPDX-License-Identifier: MIT
#include "ring_drain.hpp"

#include <maxlat/base/counter.h>
#include <maxlat/ring/commit.h>
#include <maxlat/ring/walk.h>

#include <algorithm>
#include <cstring>

namespace maxlat::trace {
namespace {

std::uint8_t* bytes_of(std::span<std::uint64_t> words) {
  return reinterpret_cast<std::uint8_t*>(words.data());
}

// A walk over the records that begin at `offset`.
maxlat_ring_walk walk_from(const std::uint8_t* bytes, const maxlat_ring_view& view, std::uint64_t offset,
                           std::uint64_t base) {
  maxlat_ring_walk walk;
  maxlat_ring_walk_start(&walk, bytes, view.content_size);
  walk.offset = offset;
  walk.base = base;
  return walk;
}

}  // namespace

base::Result<RingDrain> RingDrain::start(MappedRing mapped, std::string file_name) {
  RingDrain drain(std::move(mapped), std::move(file_name));
  if (!maxlat_ring_reader_start(&drain.reader_, &drain.mapped_.ring)) {
    return base::Error{"the ring " + drain.name_ + " is damaged"};
  }
  // relaxed: only consumers write it, and we have their lock.
  drain.read_before_ = maxlat_ring_load(&drain.mapped_.ring.header->records_read);
  return drain;
}

bool RingDrain::has_ready() const {
  const maxlat_ring_state state = maxlat_ring_poll(&reader_);
  return !broken_ && (state == MAXLAT_RING_READY || state == MAXLAT_RING_URGENT);
}

bool RingDrain::ended() const {
  return maxlat_ring_poll(&reader_) == MAXLAT_RING_HANGUP;
}

void RingDrain::begin_new_file() {
  lost_before_ = lost_so_far();
  file_.reset();
  piece_.reset();
  first_sequence_.reset();
  more_pieces_ = 0;
  looked_at_ = ~0ull;
}

RingDrain::Losses RingDrain::lost_so_far() const {
  const maxlat_ring_header* books = mapped_.ring.header;
  // relaxed: counters
  return {maxlat_ring_load(&books->lost_full), maxlat_ring_load(&books->lost_wrap), maxlat_ring_load(&books->lost_big)};
}

// What the file is told: never less than before, and of this file's time only.
void RingDrain::tell_losses(maxlat_ring_packet& head) {
  std::uint64_t* words[] = {&head.lost_full, &head.lost_wrap, &head.lost_big};
  head.lost_total = 0;
  for (std::size_t i = 0; i < lost_.size(); ++i) {
    lost_[i] = std::max(lost_[i], *words[i]);
    *words[i] = lost_[i] - std::min(lost_[i], lost_before_[i]);
    head.lost_total += *words[i];
  }
}

// RETURNS: records in the packet, those of earlier pieces included.
std::uint64_t RingDrain::write(TraceFolder& folder, const std::uint8_t* bytes, const maxlat_ring_view& view,
                               bool copied) {
  maxlat_ring_packet head;
  std::memcpy(&head, bytes, sizeof head);
  const std::uint64_t content = view.content_size & ~7ull;
  std::uint64_t from = MAXLAT_RING_PACKET_HEADER, before = 0, base = head.begin_time;
  if (piece_ && piece_->sequence == view.sequence && piece_->content <= content) {
    from = piece_->content;
    before = piece_->records;
    base = piece_->base;
    if (from == content) return before;
    ++more_pieces_;
  }
  const std::uint64_t all = std::max(head.records, before);
  maxlat_ring_walk walk = walk_from(bytes, view, from, base);
  maxlat_ring_walked record;
  // Also where the packet begins: it may have been opened long ahead of its first record.
  if (maxlat_ring_walk_next(&walk, &record) == MAXLAT_RING_EVENT) head.begin_time = record.time;
  if (copied) {
    const Losses lost = lost_so_far();  // the packet is not closed, so it does not have them yet
    head.lost_full = lost[0];
    head.lost_wrap = lost[1];
    head.lost_big = lost[2];
    while (maxlat_ring_walk_next(&walk, &record) == MAXLAT_RING_EVENT) continue;  // to the base of what follows
  }
  tell_losses(head);
  head.records = all - before;
  if (!first_sequence_) first_sequence_ = view.sequence;
  head.sequence = view.sequence - *first_sequence_ + more_pieces_;
  head.content_bits = 8 * (sizeof head + content - from);
  if (folder.append(file_, name_, head, {bytes + from, content - from})) {
    recorded_ += head.records;
    bytes_ += head.content_bits / 8;
    const std::uint64_t now = maxlat_counter_plain();
    if (!maxlat_ring_overwrites(&mapped_.ring) && now > head.begin_time) {  // a hostile producer may be ahead of time
      delivery_max_ticks_ = std::max(delivery_max_ticks_, now - head.begin_time);
    }
  } else {
    not_written_ += head.records;
  }
  if (copied) {
    piece_ = Piece{view.sequence, content, all, walk.base};
  } else {
    piece_.reset();
  }
  return all;
}

void RingDrain::take_ready(TraceFolder& folder) {
  const std::uint64_t at_most = maxlat_ring_sub_buffers(&mapped_.ring) + 1;
  for (std::uint64_t i = 0; i < at_most && has_ready(); ++i) {
    maxlat_ring_view view;
    const maxlat_ring_got got = maxlat_ring_get(&reader_, &view);
    if (got == MAXLAT_RING_CORRUPT) broken_ = true;
    if (got != MAXLAT_RING_GOT) return;
    delivered_ += write(folder, view.bytes, view, false);
    // relaxed: for the consumer after us, which gets our lock first.
    maxlat_ring_store(&mapped_.ring.header->records_read, read_before_ + delivered_);
    maxlat_ring_put(&reader_, &view);
  }
}

bool RingDrain::take_open(TraceFolder& folder, std::span<std::uint64_t> copy) {
  // relaxed: asks only whether anything was reserved since; copy_open looks for itself.
  const std::uint64_t write_count = maxlat_ring_load(mapped_.ring.write_count);
  if (broken_ || write_count == looked_at_) return true;
  maxlat_ring_view view;
  const maxlat_ring_got got = maxlat_ring_copy_open(&reader_, bytes_of(copy), &view);
  if (got == MAXLAT_RING_CORRUPT) broken_ = true;
  if (got == MAXLAT_RING_GOT) write(folder, bytes_of(copy), view, true);
  const bool nothing_open = (write_count & mapped_.ring.shape.sub_buffer_mask) <= MAXLAT_RING_PACKET_HEADER;
  if (got != MAXLAT_RING_GOT && !nothing_open) return broken_;
  looked_at_ = write_count;
  return true;
}

void RingDrain::recover(TraceFolder& folder, std::span<std::uint64_t> copy) {
  recovered_any_ = true;
  for (;;) {
    maxlat_ring_view view;
    const maxlat_ring_got got = maxlat_ring_recover(&reader_, bytes_of(copy), &view, &unfinished_);
    if (got == MAXLAT_RING_NOT_NOW) return;
    if (got == MAXLAT_RING_CORRUPT) {  // one packet; recover is past it
      broken_ = true;
      continue;
    }
    const bool copied = view.bytes == bytes_of(copy);
    (copied ? recovered_ : delivered_) += write(folder, view.bytes, view, copied);
    if (copied) {
      piece_.reset();
    } else {
      maxlat_ring_put(&reader_, &view);
    }
  }
}

std::uint64_t RingDrain::committed_in_open_packets() const {
  const maxlat_ring* ring = &mapped_.ring;
  std::uint64_t records = 0;
  for (std::uint64_t place = 0; place < maxlat_ring_sub_buffers(ring); ++place) {
    // relaxed, both: exact when nobody writes, and otherwise nobody asks.
    const std::uint64_t before = maxlat_ring_load(&ring->cells[place].commit_seq);
    const std::uint64_t now = maxlat_ring_load(maxlat_ring_commit_count(ring, place));
    if (now != before) records += maxlat_ring_records_between(before, now);
  }
  return records;
}

void RingDrain::add_to(ChannelBooks& books, bool replaced) const {
  books.recorded += recorded_;
  books.not_written += not_written_;
  books.bytes += bytes_;
  books.unfinished += unfinished_;
  books.delivery_max_ticks = std::max(books.delivery_max_ticks, delivery_max_ticks_);
  if (replaced) {
    books.produced += delivered_ + (piece_ ? piece_->records : 0);
    return;
  }
  const std::uint64_t taken = delivered_ + (recovered_any_ ? recovered_ + unfinished_ : committed_in_open_packets());
  const maxlat_ring_header* ring = mapped_.ring.header;
  // relaxed: counters, exact when nobody writes.
  std::uint64_t missing = maxlat_ring_load(&ring->records_delivered) - read_before_ - delivered_;
  const std::uint64_t lost[] = {maxlat_ring_load(&ring->lost_full), maxlat_ring_load(&ring->lost_wrap),
                                maxlat_ring_load(&ring->lost_big)};
  const bool overwrites = maxlat_ring_overwrites(&mapped_.ring);
  // A writer that died between counting a packet as delivered and publishing it: the packet was recovered, and is
  // counted there.
  if (!overwrites && recovered_any_ && missing <= recovered_) missing = 0;
  books.produced += taken + missing + lost[0] + lost[1] + lost[2];
  books.lost_full += lost[0];
  books.lost_wrap += lost[1];
  books.lost_big += lost[2];
  books.overwritten += overwrites ? missing : 0;
}

}  // namespace maxlat::trace
