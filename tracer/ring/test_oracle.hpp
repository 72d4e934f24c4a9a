// SPDX-License-Identifier: MIT OR GPL-2.0-only
// What a ring must give back: every event has a number, its bytes follow from the number, and the oracle remembers
// where each was reserved and when. A packet is checked record by record against that; collision flags alone would miss
// a packet that is whole, but of another pass.
#pragma once

#include <maxlat/ring/read.h>
#include <maxlat/ring/record_write.h>
#include <maxlat/ring/walk.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace maxlat::ring_test {

struct Event {
  uint64_t position = 0;
  uint64_t time = 0;
  uint64_t payload = 0;
  uint32_t id = 0;
  bool written = false;
  bool read = false;
};

inline uint64_t content_of(uint64_t number, uint64_t word) {
  return (number + 1) * 0x9e3779b97f4a7c15u ^ word << 56;
}

class Oracle {
 public:
  // Called with whatever a test does between two loads of the reader.
  using Between = void (*)();

  uint64_t tried() { return tried_++; }
  uint64_t reserved(const maxlat_ring_slot& slot, uint32_t id, uint64_t payload) {
    events_.push_back({slot.position, slot.time, payload, id, false, false});
    return events_.size() - 1;
  }
  void written(uint64_t number) { events_[number].written = true; }

  uint64_t count_tried() const { return tried_; }
  uint64_t count_reserved() const { return events_.size(); }
  uint64_t count_read() const { return read_; }
  const std::deque<Event>& events() const { return events_; }

  // A packet that was delivered. RETURNS: what is wrong with it, or nothing.
  std::string check(const maxlat_ring_view& view, Between between) {
    const auto header = [&](size_t offset) { return word(view, offset, between); };
    const uint64_t begin = header(offsetof(maxlat_ring_packet, begin_time));
    const uint64_t end = header(offsetof(maxlat_ring_packet, end_time));
    const uint64_t lost = header(offsetof(maxlat_ring_packet, lost_full)) +
                          header(offsetof(maxlat_ring_packet, lost_wrap)) +
                          header(offsetof(maxlat_ring_packet, lost_big));
    if (begin < last_end_) return "a packet begins before the last one ended";
    if (lost < last_lost_) return "the lost counter went back";
    last_end_ = end;
    last_lost_ = lost;
    return check_records(view, between, true);
  }

  // A packet without a record was opened ahead, and the record behind it fits as a short one only (switch.h).
  // REQUIRES: every writer is done.
  bool empty_packets_were_needed(const maxlat_ring& ring) const {
    const uint64_t most = ring.shape.sub_buffer_size - MAXLAT_RING_PACKET_HEADER;
    return std::all_of(empty_.begin(), empty_.end(), [&](uint64_t position) {
      const uint64_t next = maxlat_ring_wrap(position + ring.shape.sub_buffer_size + MAXLAT_RING_PACKET_HEADER);
      return std::any_of(events_.begin(), events_.end(), [&](const Event& event) {
        return event.position == next && maxlat_ring_record_size(event.payload) + MAXLAT_RING_LONG_EXTRA > most;
      });
    });
  }
  uint64_t count_empty() const { return empty_.size(); }

  // A copy of one that is open: the same events may come again.
  std::string check_copy(const maxlat_ring_view& view, Between between) { return check_records(view, between, false); }

 private:
  static uint64_t word(const maxlat_ring_view& view, uint64_t offset, Between between) {
    between();
    uint64_t value;
    std::memcpy(&value, view.bytes + offset, 8);
    return value;
  }

  std::string check_records(const maxlat_ring_view& view, Between between, bool delivered) {
    uint64_t time = word(view, offsetof(maxlat_ring_packet, begin_time), between);
    const uint64_t end = word(view, offsetof(maxlat_ring_packet, end_time), between);
    if (end < time) return "a packet ends before it begins";
    maxlat_ring_walk walk;
    maxlat_ring_walk_start(&walk, view.bytes, view.content_size);
    walk.stamp = maxlat_ring_stamp_of(view.sequence);
    maxlat_ring_walked record;
    uint64_t found = 0;
    for (;; ++found) {
      const uint64_t offset = walk.offset;
      const maxlat_ring_step step = maxlat_ring_walk_next(&walk, &record);
      if (step == MAXLAT_RING_END) break;
      if (step == MAXLAT_RING_BROKEN) return "what follows is no record";
      const auto payload = static_cast<uint64_t>(record.payload - view.bytes);
      const uint64_t number = word(view, payload, between);
      if (number >= events_.size()) return "a record of no event";
      Event& event = events_[number];
      if (!event.written) return "a record that is not committed";
      if (event.read) return "a record for the second time";
      if (event.position != maxlat_ring_wrap(view.position + offset)) return "a record of another pass";
      if (record.id != event.id || record.payload_size != event.payload) return "another event's id or size";
      if (record.time != event.time) return "another time than was written";
      for (uint64_t i = 1; i < event.payload / 8; ++i) {
        if (word(view, payload + 8 * i, between) != content_of(number, i)) return "a wrong byte in a record";
      }
      if (event.time < time || event.time > end) return "time goes back";
      time = event.time;
      event.read = delivered;
    }
    if (found != word(view, offsetof(maxlat_ring_packet, records), between))
      return "the packet counts other records than it has";
    if (found == 0 && !delivered) return "an empty copy";
    if (found == 0) empty_.push_back(view.position);
    if (delivered) read_ += found;
    return {};
  }

  std::vector<uint64_t> empty_;  // positions of packets without a record
  std::deque<Event> events_;     // a writer may add to it while the reader looks at one: references stay good
  uint64_t tried_ = 0, read_ = 0, last_end_ = 0, last_lost_ = 0;
};

// Writes an event of `payload` bytes (a multiple of 8), word by word, the record word last. RETURNS: false: dropped.
template <class Between>
bool write_event(Oracle& oracle, maxlat_ring_ownership ownership, const maxlat_ring& ring, maxlat_ring_cpu cpu,
                 uint32_t id, uint64_t payload, Between between) {
  oracle.tried();
  maxlat_ring_record record;
  if (!maxlat_ring_record_begin_on(ownership, &ring, cpu, id, payload, &record)) return false;
  const uint64_t number = oracle.reserved(record.slot, id, payload);
  const auto store = [&](uint64_t index, uint64_t value) {
    between();
    std::memcpy(record.payload + 8 * index, &value, 8);
  };
  store(0, number);
  for (uint64_t i = 1; i < payload / 8; ++i) store(i, content_of(number, i));
  between();
  oracle.written(number);
  maxlat_ring_record_end(ownership, &ring, &record);
  return true;
}

}  // namespace maxlat::ring_test
