// SPDX-License-Identifier: MIT
//
// What the thread of one ring was called, from its beginning on (thread_names.hpp), as far as it was looked at; and how
// much of that is on disk.
#pragma once

#include <maxlat/trace/thread_names.hpp>
#include <optional>
#include <string>

#include "shm/session_memory.hpp"
#include "written_trace.hpp"

namespace maxlat::trace {

class RingNames {
 public:
  // Of another ring from here on.
  void begin(std::uint64_t generation, std::uint32_t thread_id, std::string first_name);
  bool are_of(std::uint64_t generation) const { return generation_ == generation; }

  // `text`: what the thread was called at a look that began at `ticks`.
  void note(std::string text, std::uint64_t ticks);
  // Writes what the folder does not have yet.
  void tell(WrittenTrace& folder, const std::string& ring);
  void begin_new_folder() { told_ = 0; }

 private:
  // Of a thread that never stops to rename itself: the first and the latest.
  static constexpr std::size_t kMost = 32;

  std::optional<std::uint64_t> generation_;
  std::uint32_t thread_id_ = 0;
  std::vector<ThreadName> names_;
  std::uint64_t last_look_ = 0;
  std::size_t told_ = 0;  // of names_
};

// The threads of the process that has a session's memory mapped.
class ProcessThreads {
 public:
  // Nothing where it is not known: the thread is gone, /proc is not there or does not let us look, or that number is
  // another process there (of another PID namespace).
  std::optional<std::string> name(const SessionMemory& memory, std::uint32_t thread_id);

 private:
  std::optional<bool> is_the_process_;  // asked once, at the first look
};

}  // namespace maxlat::trace
