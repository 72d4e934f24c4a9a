// SPDX-License-Identifier: MIT
//
// Reads the packets of one stream file, in the order of the file. Whatever the file holds, the walk ends, reads
// nothing outside it, and gives every complete packet up to the first damaged one; broken() then says where and
// why.
//
// A FILE THAT IS BEING WRITTEN (consumer/trace_file.hpp) is read up to what it was when reading began: packets that
// begin before the size it had at the first look. So the walk ends however fast it grows, and the streams of a trace
// end at about one time. What is read may change under us in these ways, and none of them is called damage:
//
//   the file grows             a packet may reach behind the first size; the file is asked for its size again
//   room becomes a packet      the last packet is an empty one, whose padding is the room for those to come. One that
//                              was passed over is read again before what lies behind it is believed, and if it is a
//                              packet now, the walk goes back to it
//   a header is half written   the file is not locked: a read may meet 112 bytes of which a part is new. What is no
//                              packet, what reaches behind the first size, and, in a file that may be growing, every
//                              header counts only when a second read says the same
//   the room is cut off        at the end of a recording: the file then ends where the room began, or behind it
//
// If the file ends before the end of the last packet that was given, somebody else has shortened it; this is reported.
//
// MEMORY: a buffer of kWindow bytes, or of the largest content so far, until the walk ends: a trace may have a file for
// each of many threads that ended early. No descriptor stays open between two reads. It reads, and maps nothing: where
// a mapped file is cut, its reader gets SIGBUS instead of an error. A packet's bytes are valid until the next call of
// next().
#pragma once

#include <maxlat/ring/layout.h>

#include <cstdint>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace maxlat::trace {

// Where a file stops being what it should be.
struct TraceBreak {
  std::string file;
  std::uint64_t offset = 0;
  std::string why;
};

// A sliding copy of a part of a file.
class FileWindow {
 public:
  explicit FileWindow(std::string path) : path_(std::move(path)) {}

  // At most `size` bytes at `offset`, a multiple of 8: fewer where the file ends.
  std::span<const std::uint8_t> at(std::uint64_t offset, std::uint64_t size);
  // The next at() reads the file again.
  void forget() { held_ = 0; }
  // Nothing more is wanted, as far as is known.
  void release() {
    buffer_.reset();
    capacity_ = held_ = 0;
  }
  // At the last read. Asked after it, so that a file that only grows has all that its headers speak of.
  std::uint64_t file_size() const { return file_size_; }
  const std::string& path() const { return path_; }
  int error() const { return error_; }  // errno of the last read, or 0
  // Whether the file, asked again, still says the same there.
  bool still_says(std::uint64_t offset, std::span<const std::uint8_t> bytes) const;

 private:
  void read(std::uint64_t offset, std::uint64_t size);

  std::string path_;
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::uint64_t capacity_ = 0;
  std::uint64_t begin_ = 0;  // of what is held, in the file
  std::uint64_t held_ = 0;
  std::uint64_t file_size_ = 0;
  int error_ = 0;
};

class PacketFile {
 public:
  static constexpr std::uint64_t kWindow = 128 * 1024;

  // A file of the process `uuid`.
  PacketFile(std::string path, const Uuid& uuid) : window_(std::move(path)), uuid_(uuid) {}

  // Passes over packets without records. False at the end, or when what comes is no whole packet: then broken() is set.
  bool next();
  // Nothing more is wanted: gives up the memory. content() is gone.
  void release() {
    content_ = {};
    window_.release();
  }

  // Of the packet that next() found.
  const maxlat_ring_packet& head() const { return head_; }  // a copy
  std::uint64_t offset() const { return offset_; }
  std::span<const std::uint8_t> content() const { return content_; }
  std::uint32_t stream_id() const { return stream_.id; }
  std::uint32_t owner() const { return stream_.owner; }  // thread or CPU
  std::uint32_t slot() const { return stream_.slot; }

  const std::string& path() const { return window_.path(); }
  const std::optional<TraceBreak>& broken() const { return broken_; }

 private:
  struct Stream {
    std::uint32_t id = 0;
    std::uint32_t owner = 0;
    std::uint32_t slot = 0;
    bool operator==(const Stream&) const = default;
  };
  static Stream stream_of(const maxlat_ring_packet& head);
  bool fail(std::uint64_t offset, std::string why);
  std::string check_head(std::uint64_t left) const;
  std::string missing(std::string what) const;
  std::string look();
  std::string look_again();
  bool room_was_taken();
  bool torn() const;
  bool end();

  FileWindow window_;
  Uuid uuid_;
  maxlat_ring_packet head_{};
  std::uint64_t offset_ = 0;
  std::uint64_t next_ = 0;
  std::optional<std::uint64_t> limit_;  // the size at the first look
  // The first of the empty packets that were passed over since the last with records, and what it was.
  std::optional<std::uint64_t> room_;
  maxlat_ring_packet room_head_{};
  std::span<const std::uint8_t> content_;
  Stream stream_;
  bool first_ = true;
  std::optional<TraceBreak> broken_;
};

}  // namespace maxlat::trace
