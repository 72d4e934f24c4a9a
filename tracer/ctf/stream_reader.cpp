// SPDX-License-Identifier: MIT
#include <maxlat/ring/record.h>

#include <cstring>
#include <maxlat/trace/stream_reader.hpp>
#include <maxlat/trace/trace_folder.hpp>
#include <utility>

#include "frequency.hpp"

namespace maxlat::trace {

TickConverter::TickConverter(const TraceTime& time)
    : frequency_(time.frequency_hz),
      offset_ns_(static_cast<std::uint64_t>(time.offset_s) * kSecond +
                 ticks_to_ns(time.offset_ticks, time.frequency_hz)),
      base_ns_(offset_ns_) {}

void TickConverter::rebase(std::uint64_t ticks) {
  base_ticks_ = ticks;
  base_ns_ = offset_ns_ + ticks_to_ns(ticks, frequency_);
  rest_ = static_cast<std::uint64_t>(maxlat_u128{ticks} * kSecond % frequency_);
}

StreamReader::StreamReader(const TraceProcess& process, const std::string& file, const ReadOptions& options,
                           std::size_t number)
    : options_(options), packets_(file, process.uuid), time_(process.time) {
  stream_.process = &process;
  stream_.file = file;
  stream_.number = number;
  stream_.channel_name = channel_of_file(file);
  const auto names = process.thread_names.find(std::string_view(file).substr(file.rfind('/') + 1));
  if (names == process.thread_names.end()) return;
  stream_.names = names->second;
  next_name_from_ = stream_.names.front().from_ticks;
}

void StreamReader::break_in_packet(std::uint64_t offset, std::string why) {
  breaks_.push_back({packets_.path(), packets_.offset() + offset, std::move(why)});
}

// With the first packet it is known whose stream this is. False: nobody wants it, or nobody can read it.
bool StreamReader::begin_stream() {
  stream_.owner = packets_.owner();
  stream_.slot = packets_.slot();
  const auto channel = stream_.process->channels.find(packets_.stream_id());
  if (channel == stream_.process->channels.end()) {
    break_in_packet(0, "the metadata has no channel " + std::to_string(packets_.stream_id()));
    return false;
  }
  stream_.channel = &channel->second;
  for (const auto& [id, type] : channel->second.events) {  // in their order
    if (id >= MAXLAT_RING_LONG_ID) break;
    by_id_.resize(id + 1);
    by_id_[id] = {&type, !options_.wants_event || options_.wants_event(type)};
  }
  return !options_.wants_stream || options_.wants_stream(stream_);
}

void StreamLoss::add(const StreamLoss& later) {
  if (!any()) after_ns = later.after_ns;
  full += later.full;
  wrap += later.wrap;
  big += later.big;
  packets += later.packets;
  before_ns.reset();
}

// What a packet tells, whether its events are wanted or not.
void StreamReader::count_packet(const maxlat_ring_packet& head) {
  const auto more = [](std::uint64_t now, std::uint64_t before) { return now > before ? now - before : 0; };
  const auto last_ns = last_ticks_ ? std::optional(time_(*last_ticks_)) : std::nullopt;
  if (head.sequence > next_sequence_) {
    StreamLoss hole;
    hole.packets = head.sequence - next_sequence_;
    hole.after_ns = last_ns;
    pending_.add(hole);
  }
  next_sequence_ = head.sequence + 1;
  in_packet_loss_ = {};
  in_packet_loss_.full = more(head.lost_full, books_.lost_full);
  in_packet_loss_.wrap = more(head.lost_wrap, books_.lost_wrap);
  in_packet_loss_.big = more(head.lost_big, books_.lost_big);
  in_packet_loss_.after_ns = last_ns;
  if (stream_.channel->kind == StreamKind::kernel && in_packet_loss_.any())
    pending_.add(std::exchange(in_packet_loss_, {}));
  books_.lost_full = head.lost_full;
  books_.lost_wrap = head.lost_wrap;
  books_.lost_big = head.lost_big;
}

void StreamReader::end_of_packet() {
  if (!in_packet_loss_.any()) return;
  if (in_packet_loss_.full == in_packet_loss_.events() && last_ticks_) in_packet_loss_.after_ns = time_(*last_ticks_);
  pending_.add(in_packet_loss_);
  in_packet_loss_ = {};
}

// The next record of the stream, wanted or not: what was lost was lost before it.
void StreamReader::meet(std::uint64_t ticks) {
  last_ticks_ = ticks;
  if (!pending_.any() || pending_.before_ns) return;
  const std::int64_t time_ns = time_(ticks);
  if (time_ns < options_.begin_ns)
    pending_ = {};
  else
    pending_.before_ns = time_ns;
}

void StreamReader::pass_names(std::uint64_t ticks) {
  while (next_name_from_ <= ticks && names_passed_ < stream_.names.size()) {
    ++names_passed_;
    next_name_from_ =
        names_passed_ < stream_.names.size() ? stream_.names[names_passed_].from_ticks : ~std::uint64_t{0};
  }
}

bool StreamReader::next_packet() {
  if (in_packet_) end_of_packet();
  in_packet_ = false;
  while (!ended_ && packets_.next()) {
    if (stream_.channel == nullptr && !begin_stream()) break;
    const maxlat_ring_packet& head = packets_.head();
    count_packet(head);
    if (head.begin_time >= leave_from_) {
      books_.records_elsewhere += head.records;
      end_of_packet();
      continue;
    }
    books_.packets += 1;
    books_.bytes += packets_.content().size();
    books_.records += head.records;
    if (time_(head.begin_time) >= options_.end_ns) {
      meet(head.begin_time);
      break;
    }
    if (time_(head.end_time) < options_.begin_ns) {
      meet(head.begin_time);
      last_ticks_ = head.end_time;
      end_of_packet();
      continue;
    }
    maxlat_ring_walk_start(&walk_, packets_.content().data(), packets_.content().size());
    in_packet_ = true;
    return true;
  }
  if (!ended_ && packets_.broken()) breaks_.push_back(*packets_.broken());
  ended_ = true;
  packets_.release();
  return false;
}

const StreamReader::Known& StreamReader::known(std::uint32_t id) {
  if (id < by_id_.size()) return by_id_[id];
  if (id != far_id_) {
    const auto found = stream_.channel->events.find(id);
    far_ = found == stream_.channel->events.end()
               ? Known{}
               : Known{&found->second, !options_.wants_event || options_.wants_event(found->second)};
    far_id_ = id;
  }
  return far_;
}

bool StreamReader::next_in_packet(RecordedEvent& event) {
  maxlat_ring_walked record;
  for (;;) {
    const std::uint64_t offset = walk_.offset;
    const maxlat_ring_step step = maxlat_ring_walk_next(&walk_, &record);
    if (step == MAXLAT_RING_END) break;
    if (step == MAXLAT_RING_BROKEN) {
      break_in_packet(offset, "no record begins here; the rest of the packet is skipped");
      break;
    }
    meet(record.time);
    const Known& type = known(record.id);
    if (!type.wanted) {
      if (type.type != nullptr || told_unknown_) continue;
      if (described_since(*stream_.process, stream_.channel->stream_id, record.id)) {
        ended_ = true;
        break;
      }
      told_unknown_ = true;
      break_in_packet(offset, "the metadata has no event " + std::to_string(record.id) + "; such events are skipped");
      continue;
    }
    const std::int64_t time_ns = time_(record.time);
    if (time_ns < options_.begin_ns) continue;
    if (time_ns >= options_.end_ns) {
      ended_ = true;
      break;
    }
    std::span<const std::uint8_t> payload{record.payload, record.payload_size};
    std::optional<std::uint32_t> cpu, thread;
    if (has_context(stream_.channel->kind)) {
      if (payload.size() < kContextSize) {
        break_in_packet(offset, "a record without room for its CPU; the rest of the packet is skipped");
        break;
      }
      std::uint32_t number = 0;
      std::memcpy(&number, payload.data(), sizeof number);
      (stream_.channel->kind == StreamKind::kernel ? thread : cpu) = number;
      payload = payload.subspan(kContextSize);
      if (cpu && options_.wants_cpu && !options_.wants_cpu(stream_, *cpu)) continue;
    }
    if (record.time >= next_name_from_) pass_names(record.time);
    event = {type.type, &stream_, record.time, time_ns, walk_.offset - offset, payload, cpu, thread, nullptr, nullptr};
    if (names_passed_ != 0) event.thread_name = &stream_.names[names_passed_ - 1];
    if (pending_.any()) {
      given_ = std::exchange(pending_, {});
      event.loss = &given_;
    }
    return true;
  }
  end_of_packet();
  in_packet_ = false;
  return false;
}

}  // namespace maxlat::trace
