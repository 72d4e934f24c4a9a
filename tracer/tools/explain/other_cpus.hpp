// SPDX-License-Identifier: MIT
//
// What is done elsewhere to a CPU whose interval is explained: threads woken from other CPUs, and interrupts that were
// sent to it. Of each a trace has an event of the CPU that did it: in a thread, or in an interrupt or softirq that came
// in its place, where these are recorded.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/trace/stream_reader.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interval_events.hpp"

namespace maxlat::trace_tools {

class OtherCpus {
 public:
  // `names` lives longer.
  OtherCpus(unsigned cpu, const TraceNames& names) : cpu_(cpu), names_(names) {}

  // Of every event of the kernel, also those of the CPU itself; `decoded` as TracedEvents has it. RETURNS: what another
  // CPU did to it, as an event of the CPU that it was done to; most did nothing.
  std::optional<attribution::KernelEvent> see(const trace::RecordedEvent& event,
                                              const std::optional<attribution::KernelEvent>& decoded);

 private:
  // What a CPU is in, by its entries without an exit.
  struct Within {
    int interrupts = 0, softirqs = 0;
  };
  enum class Sends : std::uint8_t { not_looked_up, no, to_one, to_many };
  enum class SentHere : std::uint8_t { no, yes, unknown };

  void follow(const attribution::KernelEvent& event, Within& within);
  std::optional<attribution::KernelEvent> sent_by(const trace::RecordedEvent& event);
  SentHere is_sent_here(const trace::RecordedEvent& event, Sends how) const;
  std::string_view name_of(std::int32_t thread) const;

  const unsigned cpu_;
  const TraceNames& names_;
  std::vector<Sends> by_type_;
  std::map<std::int32_t, std::string> threads_;  // by the switches to them, and as they called themselves since
  std::map<std::uint32_t, Within> within_;       // by CPU
};

}  // namespace maxlat::trace_tools
