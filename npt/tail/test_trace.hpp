// SPDX-License-Identifier: MIT
//
// A trace of the maxlat arm made by hand, for tests: the bytes that ring and consumer would leave, at times of the
// test's choosing. A counter of 1 GHz, so ticks are nanoseconds.
#pragma once

#include <maxlat/ring/record.h>

#include <cstring>
#include <maxlat/base/clock.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <string>

namespace maxlat::npt {

class ScriptedTrace {
 public:
  static constexpr uint32_t kThread = 17;

  const std::string& path() const { return folder_.path(); }

  // What follows is in the snapshot with this number; without: in the one trace of a discarding channel.
  void begin_snapshot(unsigned number) {
    write();
    snapshot_ = std::to_string(number) + "/";
  }
  void begin_packet(uint64_t sequence, uint64_t time, uint64_t lost_full = 0) {
    end_packet();
    const auto prefix = trace::packet_prefix(kUuid, 0, kThread);
    head_ = {};
    std::memcpy(head_.prefix, prefix.data(), prefix.size());
    head_.sequence = sequence;
    head_.begin_time = time;
    head_.lost_full = head_.lost_total = lost_full;
    open_ = true;
  }
  // The open packet was closed then: it is no copy of one that was still open.
  void close_packet(uint64_t time) { head_.end_time = time; }
  void start(uint64_t time) { record(kStart, time, nullptr, 0); }
  void stop(uint64_t time) { record(kStop, time, nullptr, 0); }
  void loop(uint64_t time, uint64_t count, uint64_t ticks) {
    const uint64_t fields[3] = {count, ticks, 0};
    record(kLoop, time, fields, sizeof fields);
  }
  void long_loop(uint64_t time, uint64_t count, uint64_t ticks) {
    word(maxlat_ring_record_word(maxlat_ring_record_kind(MAXLAT_RING_LONG_ID, 0), head_.sequence, time));
    word(48 / 8 | uint64_t{kLoop} << 32);
    word(time);
    for (const uint64_t field : {count, ticks, uint64_t{0}}) word(field);
    end_record(time);
  }
  // Everything is on disk.
  void write() {
    end_packet();
    if (packets_.empty()) return;
    folder_.write(snapshot_ + "maxlat-42/metadata", metadata());
    folder_.write(snapshot_ + "maxlat-42/channel0-0-0", packets_);
    packets_.clear();
  }

 private:
  static constexpr trace::Uuid kUuid{0xab, 1, 2, 3};
  enum Id : uint32_t { kStart = 1, kLoop, kStop };

  static std::string metadata() {
    static constexpr trace::Field fields[] = {{.name = "count", .bytes = 8},
                                              {.name = "ticks", .bytes = 8},
                                              {.name = "duration", .kind = trace::FieldKind::floating, .bytes = 8}};
    return trace::metadata_of_trace({kUuid, "npt", "maxlat", 42}, {base::clock_with_rate(1), 0, 0}) +
           trace::metadata_of_channel(0, "channel0", trace::StreamKind::thread) +
           trace::metadata_of_event(0, kStart, {"npt", "start", trace::Level::info, {}}) +
           trace::metadata_of_event(0, kLoop, {"npt", "loop", trace::Level::info, fields}) +
           trace::metadata_of_event(0, kStop, {"npt", "stop", trace::Level::info, {}});
  }
  void word(uint64_t value) { body_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void record(Id id, uint64_t time, const uint64_t* fields, uint64_t bytes) {
    word(maxlat_ring_record_word(maxlat_ring_record_kind(id, 8 + bytes), head_.sequence, time));
    for (uint64_t i = 0; i < bytes / 8; ++i) word(fields[i]);
    end_record(time);
  }
  void end_record(uint64_t time) {
    head_.end_time = time;
    ++head_.records;
  }
  void end_packet() {
    if (!open_) return;
    head_.content_bits = head_.packet_bits = 8 * (sizeof head_ + body_.size());
    packets_.append(reinterpret_cast<const char*>(&head_), sizeof head_) += body_;
    body_.clear();
    open_ = false;
  }

  test::TemporaryFolder folder_;
  std::string snapshot_, packets_, body_;
  maxlat_ring_packet head_{};
  bool open_ = false;
};

}  // namespace maxlat::npt
