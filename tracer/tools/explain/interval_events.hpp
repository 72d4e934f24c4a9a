// SPDX-License-Identifier: MIT
//
// The events of one CPU, in its order, as far as an interval needs them; and its accounting. Whoever reads the trace,
// ours or another tracer's, adds to it.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/attribution/smi_windows.hpp>
#include <maxlat/attribution/unseen_switches.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "explained_interval.hpp"

namespace maxlat::trace_tools {

// What a trace tells beside the events of the CPU (kernel/state_dump.hpp).
struct TraceNames {
  std::map<std::int32_t, std::string> threads;
  std::map<std::uint64_t, std::string> functions;
};

class IntervalEvents {
 public:
  // In ticks. `names` lives longer, and may grow until they are asked for.
  IntervalEvents(std::uint64_t from, std::uint64_t to, const TraceNames& names);

  // What came before `tick`, back to the event before, is lost.
  void lose(std::uint64_t tick);
  // One that the accounting has no use for needs not be added.
  void add(const attribution::KernelEvent& event);
  // What was done elsewhere (other_cpus.hpp), in its place among the events of the CPU.
  void add_told(const attribution::KernelEvent& event);
  // Of another CPU's events some are lost, from this tick until now.
  void lose_elsewhere(std::uint64_t since);
  // The trace ends before the interval does: what came then is not in it.
  void end_early() { lose(to_); }

  // So many it keeps: what is behind the beginning, and before it a bounded number beside the CPU's own since its last
  // switch.
  std::size_t held() const { return events_.size(); }

  // `thread` as in ExplainRequest.
  ExplainedInterval explained(std::int32_t thread, double ticks_per_ns) const;

 private:
  void prune_before(std::uint64_t tick);

  const std::uint64_t from_, to_;
  const TraceNames& names_;
  std::size_t prune_at_;
  attribution::UnseenSwitches switches_;
  attribution::SmiWindows smis_;
  std::vector<attribution::KernelEvent> events_;
};

}  // namespace maxlat::trace_tools
