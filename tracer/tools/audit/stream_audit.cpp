// SPDX-License-Identifier: MIT
#include "stream_audit.hpp"

#include <fmt/format.h>
#include <maxlat/ring/walk.h>

#include <maxlat/trace/field_values.hpp>
#include <maxlat/trace/trace_folder.hpp>

namespace maxlat::trace_tools {
namespace {

// Bytes of the payload behind the last field, or nothing when the fields, and what stands before them, do not fit in
// it.
std::optional<std::size_t> rest_of(const trace::TraceChannel& channel, const trace::EventType& type,
                                   std::span<const std::uint8_t> payload) {
  if (trace::has_context(channel.kind)) {
    if (payload.size() < trace::kContextSize) return std::nullopt;
    payload = payload.subspan(trace::kContextSize);
  }
  trace::FieldValues values(type.fields, payload);
  for (trace::FieldValue value; values.next(value);) {
  }
  if (values.broken()) return std::nullopt;
  return values.left();
}

}  // namespace

std::string StreamAudit::at(std::uint64_t offset, std::string_view text) const {
  return fmt::format("{}: byte {}: {}", packets_.path(), offset, text);
}

void StreamAudit::find(std::uint64_t offset, std::string_view text) {
  if (findings_.size() < kMost)
    findings_.push_back(at(offset, text));
  else
    ++more_;
}

void StreamAudit::head(const maxlat_ring_packet& now) {
  const std::uint64_t at_byte = packets_.offset();
  const std::uint64_t expected = count_ == 0 ? 0 : last_.sequence + 1;
  if (now.sequence < expected) {
    find(at_byte, fmt::format("packet number {} after number {}", now.sequence, last_.sequence));
  } else if (now.sequence > expected && holes_.size() < kMost) {
    holes_.push_back(at(at_byte, fmt::format("{} packet{} missing before number {}", now.sequence - expected,
                                             now.sequence - expected == 1 ? " is" : "s are", now.sequence)));
  }
  if (now.end_time < now.begin_time) find(at_byte, "the packet ends before it begins");
  if (now.begin_time < last_.end_time) find(at_byte, "the packet begins before the one before it ends");
  if (now.lost_full < last_.lost_full || now.lost_wrap < last_.lost_wrap || now.lost_big < last_.lost_big) {
    find(at_byte, "fewer events are lost than in the packet before");
  }
  if (now.lost_total != now.lost_full + now.lost_wrap + now.lost_big) {
    find(at_byte, fmt::format("{} events discarded, and by cause {} + {} + {}", now.lost_total, now.lost_full,
                              now.lost_wrap, now.lost_big));
  }
}

void StreamAudit::records(const trace::TraceChannel& channel) {
  const maxlat_ring_packet& packet = packets_.head();
  maxlat_ring_walk walk;
  maxlat_ring_walked record;
  maxlat_ring_walk_start(&walk, packets_.content().data(), packets_.content().size());
  std::uint64_t count = 0;
  std::uint64_t before = packet.begin_time;
  std::uint64_t offset = walk.offset;
  maxlat_ring_step step;
  for (; (step = maxlat_ring_walk_next(&walk, &record)) == MAXLAT_RING_EVENT; offset = walk.offset) {
    ++count;
    const std::uint64_t at_byte = packets_.offset() + offset;
    if (record.time < before) find(at_byte, "a record from before the one before it");
    if (record.time > packet.end_time) find(at_byte, "a record from after the end of its packet");
    before = record.time;
    const auto type = channel.events.find(record.id);
    if (type == channel.events.end()) {
      if (more_unknown_ || !trace::described_since(process_, channel.stream_id, record.id)) {
        more_unknown_ = true;
      } else {  // it was recorded after reading began, and so was what follows
        ended_ = true;
        records_ += count - 1;
        return;
      }
      find(at_byte, fmt::format("the metadata has no event {}", record.id));
      continue;
    }
    const auto rest = rest_of(channel, type->second, {record.payload, record.payload_size});
    if (!rest) find(at_byte, fmt::format("the record is too short for the fields of {}", type->second.name));
    if (rest && *rest >= 8) find(at_byte, fmt::format("{} bytes after the fields of {}", *rest, type->second.name));
  }
  if (step == MAXLAT_RING_BROKEN) find(packets_.offset() + offset, "no record begins here");
  if (count != packet.records) {
    find(packets_.offset(), fmt::format("{} records in a packet that says it has {}", count, packet.records));
  }
  records_ += count;
  if (packet.begin_time >= overlap_) records_twice_ += count;
}

void StreamAudit::run() {
  while (!ended_ && packets_.next()) {
    head(packets_.head());
    const auto channel = process_.channels.find(packets_.stream_id());
    if (channel == process_.channels.end()) {
      find(packets_.offset(), fmt::format("the metadata has no channel {}", packets_.stream_id()));
      return;
    }
    records(channel->second);
    if (count_ == 0) first_ = packets_.head();
    ++count_;
    bytes_ += packets_.content().size();
    last_ = packets_.head();
  }
  if (packets_.broken()) find(packets_.broken()->offset, packets_.broken()->why);
}

}  // namespace maxlat::trace_tools
