// SPDX-License-Identifier: MIT
#include "ring_drain.hpp"

#include <maxlat/base/counter.h>
#include <maxlat/ring/commit.h>
#include <maxlat/ring/read_place.h>
#include <maxlat/ring/walk.h>

#include <algorithm>
#include <cstring>

namespace maxlat::trace {
namespace {

std::uint8_t* bytes_of(std::span<std::uint64_t> words) {
  return reinterpret_cast<std::uint8_t*>(words.data());
}

// A difference that may be less than nothing.
std::uint64_t at_least_zero(std::uint64_t difference) {
  return static_cast<std::int64_t>(difference) > 0 ? difference : 0;
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

std::uint64_t RingDrain::room() const {
  const maxlat_ring* ring = &mapped_.ring;
  // relaxed: a hint. Like poll, this looks at the writer's hot line; so it is asked of rings that have a packet only.
  const std::uint64_t reserved = maxlat_ring_load(ring->write_count);
  const std::uint64_t size = ring->shape.buffer_mask + 1;
  return size - std::min(size, maxlat_ring_wrap(reserved - maxlat_ring_read_position(ring)));
}

std::string RingDrain::name_at_end() const {
  const std::uint64_t* shared = mapped_.ring.header->name_at_end;
  // relaxed: behind ended()'s acquire [F1].
  const std::uint64_t copy[] = {maxlat_ring_load(&shared[0]), maxlat_ring_load(&shared[1])};
  const auto* text = reinterpret_cast<const char*>(copy);
  return {text, strnlen(text, sizeof copy)};
}

bool RingDrain::ended() const {
  return maxlat_ring_poll(&reader_) == MAXLAT_RING_HANGUP;
}

void RingDrain::begin_new_file() {
  lost_before_ = ring_lost_;
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

void RingDrain::tell_late_losses(WrittenTrace& folder) {
  if (!file_ || ring_lost_ == lost_) return;
  maxlat_ring_packet head = last_;
  head.lost_full = ring_lost_[0];
  head.lost_wrap = ring_lost_[1];
  head.lost_big = ring_lost_[2];
  tell_losses(head);
  head.begin_time = head.end_time = std::max(last_.end_time, maxlat_counter_plain());
  head.content_bits = 8 * sizeof head;
  head.records = 0;
  if (folder.append(file_, name_, head, {})) bytes_ += sizeof head;
}

// RETURNS: records in the packet, those of earlier pieces included.
std::uint64_t RingDrain::write(WrittenTrace& folder, const std::uint8_t* bytes, const maxlat_ring_view& view,
                               bool copied) {
  maxlat_ring_packet head;
  std::memcpy(&head, bytes, sizeof head);
  const std::uint64_t content = view.content_size & ~7ull;
  std::uint64_t from = MAXLAT_RING_PACKET_HEADER, before = 0, base = head.begin_time;
  if (piece_ && piece_->sequence == view.sequence && piece_->content <= content) {
    from = piece_->content;
    before = piece_->records;
    base = piece_->base;
    if (from == content) {
      if (!copied) early_.reset();  // it is whole
      return before;
    }
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
    last_ = head;
    const std::uint64_t now = maxlat_counter_plain();
    if (!maxlat_ring_overwrites(&mapped_.ring) && now > head.begin_time) {  // a hostile producer may be ahead of time
      delivery_max_ticks_ = std::max(delivery_max_ticks_, now - head.begin_time);
    }
  } else {
    not_written_ += head.records;
  }
  if (early_ && early_->sequence < view.sequence) forget_early();
  if (copied) {
    piece_ = Piece{view.sequence, content, all, walk.base};
    early_ = Early{view.sequence, all};
  } else {
    piece_.reset();
    early_.reset();
  }
  return all;
}

// For the consumer after us, and for a thread that takes the ring over.
void RingDrain::say_read() {
  // relaxed: whoever comes next gets our lock first, or the slot's word.
  maxlat_ring_store(&mapped_.ring.header->records_read, read_before_ + delivered_ + early_only_);
}

// Its packet was passed, and we have no more of it than the piece.
void RingDrain::forget_early() {
  early_only_ += early_->records;
  early_.reset();
}

void RingDrain::take_ready(WrittenTrace& folder) {
  const std::uint64_t at_most = maxlat_ring_sub_buffers(&mapped_.ring) + 1;
  for (std::uint64_t i = 0; i < at_most && has_ready(); ++i) {
    maxlat_ring_view view;
    const maxlat_ring_got got = maxlat_ring_get(&reader_, &view);
    if (got == MAXLAT_RING_CORRUPT) broken_ = true;
    if (got != MAXLAT_RING_GOT) return;
    delivered_ += write(folder, view.bytes, view, false);
    say_read();
    maxlat_ring_put(&reader_, &view);
  }
}

bool RingDrain::take_open(WrittenTrace& folder, std::span<std::uint64_t> copy) {
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

void RingDrain::recover(WrittenTrace& folder, std::span<std::uint64_t> copy) {
  recovered_any_ = true;
  // No more packets than two passes and the one in hand, as maxlat_ring_recover() says. Where somebody still moves the
  // counters, though it should be dead, there is no end.
  const std::uint64_t at_most = 2 * maxlat_ring_sub_buffers(&mapped_.ring) + 3;
  for (std::uint64_t i = 0;; ++i) {
    if (i == at_most) {
      broken_ = true;
      return;
    }
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
      early_.reset();
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

// Records in packets that were delivered. A writer that died between publishing a packet and counting it leaves the
// ring's own count short; but the upper bits of commit_seq count the records of their place, so their sum shows it, to
// 24 bits. What is in them from bytes is taken off: it is known from the position to half a commit count.
std::uint64_t RingDrain::delivered_by_ring() const {
  const maxlat_ring* ring = &mapped_.ring;
  // acquire [B1]: a packet that is counted is seen to be filled. Partner: release [B1] in ring/reserve.c. Shape:
  // publish.
  const std::uint64_t counted = maxlat_ring_load_acquire(&ring->header->records_delivered);
  if (!recovered_any_) return counted;
  const std::uint64_t position = maxlat_ring_load(ring->write_count);  // relaxed: nobody writes any more
  const std::uint64_t before = maxlat_ring_committed_before(&ring->shape, position);
  std::uint64_t sum = 0;
  for (std::uint64_t place = 0; place < maxlat_ring_sub_buffers(ring); ++place) {
    const std::uint64_t commit = maxlat_ring_load(&ring->cells[place].commit_seq);  // relaxed: as above
    std::uint64_t bytes = (commit - before) & MAXLAT_RING_COMMIT_MASK;
    if (bytes > MAXLAT_RING_COMMIT_MASK / 2) bytes -= MAXLAT_RING_ONE_RECORD;
    sum += maxlat_ring_records_between(before + bytes, commit);
  }
  const auto uncounted =
      static_cast<std::int64_t>((sum - counted) << MAXLAT_RING_COMMIT_BITS) >> MAXLAT_RING_COMMIT_BITS;
  return counted + static_cast<std::uint64_t>(uncounted);
}

// What was counted as delivered, and neither taken nor still there. Packets that are delivered after the count and
// taken before this would make it less, so it is kept from going down; it is exact when nobody writes.
void RingDrain::settle_overwritten() {
  const maxlat_ring* ring = &mapped_.ring;
  const std::uint64_t counted = delivered_by_ring();  // first: whoever is in it is taken, gone, or seen below
  if (reader_.unfinished) return;
  const std::uint64_t position = maxlat_ring_read_position(ring);
  for (std::uint64_t i = 0; i < maxlat_ring_sub_buffers(ring); ++i) {
    if (maxlat_ring_filled_at(ring, maxlat_ring_wrap(position + i * sub_buffer_size()))) return;  // to be taken yet
  }
  if (early_ && early_->sequence < maxlat_ring_packet_number(&ring->shape, position)) forget_early();
  overwritten_ = std::max(overwritten_, at_least_zero(counted - read_before_ - delivered_ - early_only_));
}

void RingDrain::settle() {
  ring_lost_ = lost_so_far();
  // What recovery gave up looking for was committed all the same.
  const std::uint64_t committed = committed_in_open_packets();
  ring_open_ = recovered_any_ ? std::max(recovered_, committed) + unfinished_ : committed;
  if (maxlat_ring_overwrites(&mapped_.ring)) {
    settle_overwritten();
    say_read();
  } else {
    // One that was killed between saying that it had read a packet and putting it has left us that packet.
    ring_missing_ = at_least_zero(delivered_by_ring() - read_before_ - delivered_);
  }
}

void RingDrain::add_to(ChannelBooks& books, bool replaced) const {
  books.recorded += recorded_;
  books.not_written += not_written_;
  books.bytes += bytes_;
  books.unfinished += unfinished_;
  books.delivery_max_ticks = std::max(books.delivery_max_ticks, delivery_max_ticks_);
  if (replaced) {
    books.produced += delivered_ + early_only_;
    if (early_) books.overwritten -= early_->records;  // in `replaced_unread`, but not lost
    return;
  }
  books.produced += delivered_ + ring_open_ + ring_missing_ + early_only_ + overwritten_;
  for (const std::uint64_t lost : ring_lost_) books.produced += lost;
  (maxlat_ring_overwrites(&mapped_.ring) ? books.lost_frozen : books.lost_full) += ring_lost_[0];
  books.lost_wrap += ring_lost_[1];
  books.lost_big += ring_lost_[2];
  books.overwritten += overwritten_;
}

}  // namespace maxlat::trace
