// SPDX-License-Identifier: MIT
//
// DIR/<process>-<pid>: the metadata, one file a ring, names of threads, the books. Metadata that a packet may need is
// on disk before the packet; it is replaced as a whole, so that a kill leaves the text before or the text after. After
// the first write error nothing more is written, and the reason was said once.
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/base/result.hpp>
#include <memory>
#include <string>

#include "shm/session_memory.hpp"
#include "trace_file.hpp"

namespace maxlat::trace {

// Whose folder it is, and the metadata, a text that only grows.
struct DescribedTrace {
  std::string process;
  int pid = 0;
  std::size_t channels = 0;
  std::function<std::uint64_t()> metadata_length;
  std::function<base::Result<std::string>(std::uint64_t length)> metadata;  // so much of it
};

class WrittenTrace {
 public:
  using Say = std::function<void(const std::string&)>;

  // A process that execs comes again with the same name: it gets -2, -3, ...
  static base::Result<WrittenTrace> create(const std::string& directory, DescribedTrace trace, Say say);
  // `memory` outlives the folder.
  static base::Result<WrittenTrace> create(const std::string& directory, const SessionMemory& memory, Say say);

  // One packet. `file` is made with the first. RETURNS: it is on disk.
  bool append(std::unique_ptr<TraceFile>& file, const std::string& name, const maxlat_ring_packet& head,
              std::span<const std::uint8_t> records);
  // Lines of thread_names.hpp. What cannot be written is said once and costs no event.
  void append_thread_names(const std::string& lines);
  // Metadata that no packet needed yet.
  bool append_metadata();
  // Last of all. Its room on disk was taken when the folder was made, so that a full disk has books, too.
  void write_books(const std::string& text);

  const std::string& path() const { return path_; }
  bool failed() const { return failed_; }

 private:
  WrittenTrace(DescribedTrace trace, Say say) : trace_(std::move(trace)), say_(std::move(say)) {}
  bool fail(const base::Error& error);
  base::Status replace_metadata(std::uint64_t length);

  DescribedTrace trace_;
  Say say_;
  std::string path_;
  std::uint64_t metadata_length_ = 0;  // on disk
  bool failed_ = false;
  bool names_failed_ = false;
};

}  // namespace maxlat::trace
