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
#include <string>
#include <vector>

namespace maxlat::trace_tools {

// One of the module's events as a trace has it. What `type` points to lives as long.
struct DescribedKernelEvent {
  std::string provider{};  // of a function; the kernel's own events have none, as LTTng's
  std::string name{};
  std::vector<trace::Field> fields{};

  trace::EventDescription description() const {
    return {.provider = provider, .name = name, .level = trace::Level::info, .fields = fields};
  }
};
DescribedKernelEvent describe(const trace::KernelEventType& type);

// Appends context and fields to `payload`.
void append_record(const trace::KernelRecord& record, std::int32_t thread, std::vector<std::uint8_t>& payload);

class ThreadsOfCpu {
 public:
  // What waits is in a record's own memory no more.
  using Use = std::function<void(const trace::KernelRecord& record, std::int32_t thread)>;
  static constexpr std::size_t kMostWaiting = 1 << 16;  // then their thread is KernelEvent::kUnknown

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
