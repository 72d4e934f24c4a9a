// SPDX-License-Identifier: MIT
//
// What is done elsewhere to a CPU whose interval is explained: threads woken from other CPUs, and interrupts that were
// sent to it. Of each a trace has an event of the CPU that did it.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/trace/stream_reader.hpp>
#include <optional>
#include <string>
#include <vector>

#include "interval_events.hpp"

namespace maxlat::trace_tools {

class OtherCpus {
 public:
  // `names` lives longer.
  OtherCpus(unsigned cpu, const TraceNames& names) : cpu_(cpu), names_(names) {}

  // Of every event of the kernel, also those of the CPU itself. RETURNS: what it did to that CPU, as an event of it;
  // most did nothing.
  std::optional<attribution::KernelEvent> see(const trace::RecordedEvent& event);

 private:
  enum class Use : std::uint8_t { not_looked_up, nothing, task_switch, waking, send, send_mask };
  static Use use_of(std::string_view name);
  bool is_sent_here(const trace::RecordedEvent& event, Use use) const;
  std::string_view name_of(std::int32_t thread) const;

  const unsigned cpu_;
  const TraceNames& names_;
  std::vector<Use> by_type_;
  std::map<std::int32_t, std::string> threads_;  // by the switches to them
};

}  // namespace maxlat::trace_tools
