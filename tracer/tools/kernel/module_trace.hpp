// SPDX-License-Identifier: MIT
//
// The way of the module's events into a trace, for both who record by it: all the time (module_recording.cpp) and the
// latest (module_history.cpp).
#pragma once

#include <cstdint>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <maxlat/trace/trace_writer.hpp>
#include <memory>
#include <unordered_map>
#include <vector>

#include "kernel_trace.hpp"
#include "module_records.hpp"
#include "system_calls.hpp"

namespace maxlat::trace_tools {

struct ModuleSession {
  trace::KernelSession session;                         // records
  std::vector<const trace::KernelEventType*> wanted{};  // the others only tell which thread runs
};

// Of the plan's events. ERRORS: as KernelSession and wanted_kernel_events().
core::Result<ModuleSession> start_module_session(const KernelPlan& plan);

// THREADS: one at a time, but for write_state().
class ModuleTrace {
 public:
  // What `wanted` points to lives longer.
  ModuleTrace(std::unique_ptr<trace::TraceWriter> writer, core::CpuList cpus,
              const std::vector<const trace::KernelEventType*>& wanted);

  void write_state() { trace_.write_state(); }
  void take(const trace::KernelRecord& record);
  void look_at_the_clock() { trace_.look_at_the_clock(); }
  // `is_whole`: of each CPU, whether all that was recorded up to the tick `end` was taken; of the others the trace does
  // not say up to where it is whole. `books`: of what this trace is of, with losses that no record told.
  trace::RecordingReport finish(const trace::KernelBooks& books, std::uint64_t end, const std::vector<bool>& is_whole);

 private:
  struct TypeInTrace {
    std::uint32_t id = 0;  // of system calls `calls` has it, an event for each
    DescribedKernelEvent any{};
    SystemCallEvents calls{};
  };
  std::size_t place_of(std::uint32_t cpu) const;
  std::uint32_t id_of(TypeInTrace& type, const trace::KernelRecord& record);
  void write(std::size_t place, const trace::KernelRecord& record, std::int32_t thread);

  const core::CpuList cpus_;
  KernelTrace trace_;
  std::unordered_map<std::uint32_t, TypeInTrace> types_;  // by the module's id
  std::vector<ThreadsOfCpu> threads_;                     // of each of the CPUs
  std::vector<std::uint8_t> payload_;
  std::uint64_t told_ = 0, unasked_ = 0;
};

}  // namespace maxlat::trace_tools
