// SPDX-License-Identifier: MIT
//
// Records of maxlat_trace.ko as those of a trace, of one CPU. A record does not tell its thread, which a trace's event
// has: the task switches tell it. So what comes before a CPU's first switch waits for that, which tells who ran.
#pragma once

#include <cstdint>
#include <functional>
#include <maxlat/trace/description.hpp>
#include <maxlat/trace/kernel/kernel_events.hpp>
#include <optional>
#include <span>
#include <vector>

namespace maxlat::trace_tools {

// Of one of the module's events; lives as long as the program.
trace::EventDescription description_of(const trace::KernelEventType& type);

// Appends context and fields to `payload`.
void append_record(const trace::KernelRecord& record, std::int32_t thread, std::vector<std::uint8_t>& payload);

class ThreadsOfCpu {
 public:
  // What waits is in a record's own memory no more.
  using Use = std::function<void(const trace::KernelRecord& record, std::int32_t thread)>;
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::size_t kMostWaiting = 1 << 16;  // then their thread is unknown

  // Gives `use` the record, and before it those that waited, with the thread that ran when it was written.
  void take(const trace::KernelRecord& record, const Use& use);
  // There are no more: what still waits has had no switch.
  void finish(const Use& use);

 private:
  struct Waiting {
    trace::KernelRecord record;  // its payload is in `bytes`
    std::vector<std::uint8_t> bytes;
  };
  void give_waiting(std::int32_t thread, const Use& use);

  std::optional<std::int32_t> running_;
  std::vector<Waiting> waiting_;
};

}  // namespace maxlat::trace_tools
