// SPDX-License-Identifier: MIT
//
// The names of the threads of one session: of each ring (ring_names.hpp), and whose thread is looked at when. Rings of
// CPUs have none.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "ring_names.hpp"
#include "shm/session_memory.hpp"
#include "written_trace.hpp"

namespace maxlat::trace {

class SessionNames {
 public:
  // `memory` lives longer than this.
  explicit SessionNames(const SessionMemory& memory);

  // From here on of the ring that `word` is about; what is known of that ring already is kept.
  void begin(std::size_t channel, std::uint32_t slot, SlotWord word);
  // RETURNS: a thread's name was asked for.
  bool look_at(std::size_t channel, std::uint32_t slot);
  // At some threads, when it is time. `seen`: told of each, so that what is new can be written.
  using Seen = std::function<void(std::size_t channel, std::uint32_t slot)>;
  void look_at_some(std::chrono::nanoseconds now, const Seen& seen);

  RingNames& of(std::size_t channel, std::uint32_t slot) { return names_[channel][slot]; }
  // What is written from here on goes to another folder.
  void begin_new_folder(std::size_t channel);

 private:
  bool of_threads(std::size_t channel) const { return !memory_->channels()[channel].per_cpu; }

  const SessionMemory* memory_;
  std::vector<std::vector<RingNames>> names_;  // by channel and slot
  ProcessThreads threads_;
  std::chrono::nanoseconds next_{0};
  std::size_t channel_ = 0;  // whose turn it is
  std::uint32_t slot_ = 0;
};

}  // namespace maxlat::trace
