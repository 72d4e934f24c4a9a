// SPDX-License-Identifier: MIT
#include "kernel_reader/kernel_ring.hpp"

#include <maxlat/ring/open_packet.h>
#include <maxlat/trace/kernel/kernel_abi.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace maxlat::trace::detail {
namespace {

base::Error damaged(std::uint32_t cpu, const char* what) {
  return {"the kernel's ring of CPU " + std::to_string(cpu) + " is damaged: " + what};
}

constexpr std::uint64_t kLargestRecord = 32 + [] {
  std::uint64_t most = MAXLAT_TRACE_RAW_ARGUMENTS * sizeof(std::uint64_t);
#define RECORD(record) most = std::max<std::uint64_t>(most, sizeof(maxlat_kernel_##record));
  MAXLAT_KERNEL_RECORDS(RECORD)
#undef RECORD
  return most;
}();

std::uint64_t lost_in(const std::uint8_t* packet) {
  maxlat_ring_packet head;
  std::memcpy(&head, packet, sizeof head);
  return head.lost_full + head.lost_wrap + head.lost_big;
}

}  // namespace

base::Result<KernelRing> KernelRing::attach(std::uint32_t cpu, void* memory, std::uint64_t size,
                                            std::span<const KernelEventType* const> raw) {
  KernelRing ring;
  ring.raw_ = raw;
  maxlat_ring view;
  ring.cpu_ = cpu;
  if (!maxlat_ring_attach(&view, memory, size) || !maxlat_ring_reader_start(&ring.reader_, &view))
    return damaged(cpu, "it does not say what a ring says");
  ring.copy_.resize(view.shape.sub_buffer_size / sizeof(std::uint64_t));
  return ring;
}

// The walk gives the kind of a record, and it has all of its fields; else null.
const KernelEventType* KernelRing::type_of(const maxlat_ring_walked& record) const {
  const auto types = kernel_event_types();
  const KernelEventType* type = nullptr;
  if (record.id >= 1 && record.id <= types.size()) type = &types[record.id - 1];
  if (record.id >= MAXLAT_TRACE_FIRST_RAW && record.id - MAXLAT_TRACE_FIRST_RAW < raw_.size())
    type = raw_[record.id - MAXLAT_TRACE_FIRST_RAW];
  return type != nullptr && record.payload_size == type->bytes ? type : nullptr;
}

void KernelRing::tell_loss(std::uint64_t events) {
  lost_untold_ += events;
  lost_ += events;
}

// A packet's counts are those of its end. What had no room in it, nor a packet to go into, is told by the packet
// itself: that was behind its records. But one that is filled to its last byte ends before anything is lost; then the
// next one tells of what was lost before its records, and may have been filled itself since. Then there is a loss on
// either side, for a place that is not told would be taken for whole.
void KernelRing::tell_loss_before(std::uint64_t lost, std::uint64_t content_size) {
  const std::uint64_t events = lost - std::min(lost, lost_);
  const bool has_room = content_size + kLargestRecord <= sub_buffer_size();
  tell_loss(has_room ? events : std::min<std::uint64_t>(events, 1));
}

base::Status KernelRing::read(const std::uint8_t* packet, std::uint64_t content_size, std::uint64_t sequence,
                              const UseKernelRecord& use) {
  const std::uint64_t known = sequence == sequence_ ? taken_ : 0;
  std::uint64_t count = 0;
  maxlat_ring_walk walk;
  maxlat_ring_walked record;
  maxlat_ring_step step;
  if (known == 0 && was_full_) tell_loss_before(lost_in(packet), content_size);
  maxlat_ring_walk_start(&walk, packet, content_size);
  while ((step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT) {
    if (count++ < known) continue;
    const KernelEventType* const type = type_of(record);
    if (type == nullptr) return damaged(cpu_, "an event that this maxlat does not know");
    use({record.time, cpu_, type, record.payload, std::exchange(lost_untold_, 0)});
    ++records_read_;
  }
  if (step != MAXLAT_RING_END) return damaged(cpu_, "a packet ends in the middle of a record");
  sequence_ = sequence;
  taken_ = count;
  tell_loss(lost_in(packet) - std::min(lost_in(packet), lost_));  // the rest had no room behind its records
  was_full_ = content_size == sub_buffer_size();
  return {};
}

base::Result<bool> KernelRing::read_open(const UseKernelRecord& use) {
  maxlat_ring_view view;
  auto* const to = reinterpret_cast<std::uint8_t*>(copy_.data());
  switch (maxlat_ring_copy_open(&reader_, to, &view)) {
    case MAXLAT_RING_GOT:
      if (base::Status done = read(to, view.content_size, view.sequence, use); !done) return done.error();
      return true;
    case MAXLAT_RING_CORRUPT:
      return damaged(cpu_, "its counters");
    case MAXLAT_RING_NOT_NOW:
      break;
  }
  // relaxed: if it moves on now, then there is something the next time
  const std::uint64_t inside = maxlat_ring_load(reader_.ring.write_count) & reader_.ring.shape.sub_buffer_mask;
  return inside <= MAXLAT_RING_PACKET_HEADER;
}

}  // namespace maxlat::trace::detail
