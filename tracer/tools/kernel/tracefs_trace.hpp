// SPDX-License-Identifier: MIT
//
// The way of tracefs' records into a trace, for both who record by it: all the time (tracefs_recording.cpp) and the
// latest (tracefs_history.cpp).
#pragma once

#include <cstdint>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/trace/trace_writer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel_conversion.hpp"
#include "kernel_recording.hpp"
#include "kernel_trace.hpp"
#include "system_calls.hpp"

namespace maxlat::trace_tools {

struct TracefsSession {
  attribution::KernelBuffers buffers;  // record
  // By the kernel's number of the event; nothing: it was not asked for.
  std::vector<std::optional<KernelConversion>> conversions{};
};

// Of the plan's events. ERRORS: as KernelBuffers; none of the events is there (Exit::cannot_run).
core::Result<TracefsSession> start_tracefs_session(const KernelPlan& plan);

// For a person, of a CPU whose pages are damaged.
std::string nothing_more_of(unsigned cpu, const core::Error& why);

// THREADS: one at a time, but for write_state().
class TracefsTrace {
 public:
  // `conversions`: of a session, which lives longer.
  TracefsTrace(std::unique_ptr<trace::TraceWriter> writer, const core::CpuList& cpus,
               const std::vector<std::optional<KernelConversion>>& conversions);

  void write_state() { trace_.write_state(); }
  // `place`: of the CPU in the list; so in all of these.
  void take(std::size_t place, const attribution::RingRecord& record);
  void lose(std::size_t place, std::uint64_t events) { trace_.lose(place, events); }
  void look_at_the_clock() { trace_.look_at_the_clock(); }
  void end_of_cpu(std::size_t place, std::uint64_t tick) { trace_.end_of_cpu(place, tick); }
  // Adds to told.not_written what take() could not use: records of no event that was asked for, or shorter than its
  // format.
  trace::RecordingReport finish(trace::TraceWriter::Told told);

 private:
  struct EventInTrace {
    const KernelConversion* conversion = nullptr;
    std::uint32_t id = 0;  // of a system call `calls` has it
    SystemCallEvents calls{};
  };
  std::uint32_t id_of(EventInTrace& event, const attribution::RingRecord& record);

  KernelTrace trace_;
  std::vector<EventInTrace> events_;  // by the kernel's number
  std::vector<std::uint8_t> payload_;
  std::uint64_t unknown_ = 0;
};

}  // namespace maxlat::trace_tools
