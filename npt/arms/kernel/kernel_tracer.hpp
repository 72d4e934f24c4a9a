// SPDX-License-Identifier: MIT
//
// A tracer of the kernel, as the arm `kernel` uses it: it records events of the measured CPUs into buffers that a
// thread of ours empties, and that drop the newest or the oldest where they are full. What it lost it counts itself.
//
// THREADS one at a time. UNDONE by the destructor; what a killed process left is undone by the next one.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <string>
#include <vector>

#include "arms/arm_folder.hpp"
#include "call_count.hpp"

namespace maxlat::npt {

struct KernelTracerPlan {
  core::CpuList cpus;
  std::vector<std::string> patterns;  // "GROUP:NAME", with * and ?
  uint64_t sub_buffer_bytes = 0, sub_buffers = 0;
  const ArmFolder* folder = nullptr;  // its journal

  uint64_t bytes_of_a_cpu() const { return sub_buffer_bytes * sub_buffers; }
};

class KernelTracer {
 public:
  virtual ~KernelTracer() = default;
  // Records from now on. Once. ERRORS: it is not to be had here, or has none of the events (Exit::cannot_run).
  virtual core::Status start(const KernelTracerPlan& plan) = 0;
  // All that is there when it begins. ERRORS: it cannot be read.
  virtual core::Status read(CallCount& calls) = 0;
  // Records nothing more; what is there may still be read.
  virtual core::Status stop() = 0;
  // Events that were to be recorded and are not there. REQUIRES: stopped, and read to the end.
  virtual uint64_t lost() const = 0;
};

std::unique_ptr<KernelTracer> make_ftrace_tracer();  // an own instance in tracefs
std::unique_ptr<KernelTracer> make_maxlat_tracer();  // maxlat_trace.ko
std::unique_ptr<KernelTracer> make_perf_tracer();    // perf_event_open()

}  // namespace maxlat::npt
