// SPDX-License-Identifier: MIT
//
// The packets of one stream file, in the order of the file. Whatever the file holds, the walk ends, reads nothing
// outside it, and gives every packet that is whole before the first that is not; broken() then says where and why.
//
// MEMORY: a window of the file is mapped at a time, at least kWindow bytes and never less than the packet; no
// descriptor stays open between two windows. A packet's bytes are valid until the next call of next(). The file may
// grow meanwhile; what it had when its window was mapped counts. Packets are appended whole, and a recorder cuts off
// only what is none.
#pragma once

#include <maxlat/ring/layout.h>

#include <cstdint>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/ctf_format.hpp>
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

// A sliding view of a file.
class FileWindow {
 public:
  explicit FileWindow(std::string path) : path_(std::move(path)) {}
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;
  ~FileWindow() { unmap(); }

  // At most `size` bytes at `offset`, a multiple of 8: fewer where the file ends.
  std::span<const std::uint8_t> at(std::uint64_t offset, std::uint64_t size);
  std::uint64_t file_size() const { return file_size_; }
  const std::string& path() const { return path_; }
  int error() const { return error_; }  // errno of the last attempt that failed, or 0

 private:
  bool map(std::uint64_t offset, std::uint64_t size);
  void unmap();

  std::string path_;
  std::uint8_t* where_ = nullptr;
  std::uint64_t begin_ = 0;  // of the window, in the file
  std::uint64_t size_ = 0;
  std::uint64_t file_size_ = 0;
  int error_ = 0;
};

class PacketFile {
 public:
  static constexpr std::uint64_t kWindow = 1 << 20;

  // A file of the process `uuid`.
  PacketFile(std::string path, const Uuid& uuid) : window_(std::move(path)), uuid_(uuid) {}

  // Passes over packets without records. False at the end, or when what comes is no whole packet: then broken() is set.
  bool next();

  // Of the packet that next() found.
  const maxlat_ring_packet& head() const { return head_; }  // a copy
  std::uint64_t offset() const { return offset_; }
  std::span<const std::uint8_t> content() const { return content_; }
  std::uint32_t stream_id() const { return stream_id_; }
  std::uint32_t owner() const { return owner_; }  // thread or CPU
  std::uint32_t slot() const { return slot_; }

  const std::string& path() const { return window_.path(); }
  const std::optional<TraceBreak>& broken() const { return broken_; }

 private:
  bool fail(std::string why);
  bool check_head(std::uint64_t left);

  FileWindow window_;
  Uuid uuid_;
  maxlat_ring_packet head_{};
  std::uint64_t offset_ = 0;
  std::uint64_t next_ = 0;
  std::span<const std::uint8_t> content_;
  std::uint32_t stream_id_ = 0;
  std::uint32_t owner_ = 0;
  std::uint32_t slot_ = 0;
  bool first_ = true;
  std::optional<TraceBreak> broken_;
};

}  // namespace maxlat::trace
