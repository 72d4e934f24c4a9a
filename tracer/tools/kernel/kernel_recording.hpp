// SPDX-License-Identifier: MIT
//
// The kernel's events beside those of programs, in DIR/kernel-0: what is wanted, who can record it, and a recording
// that is under way. Who can is a table; another back end is a row in kernel_recording.cpp.
//
// THREADS  start, finish and the destructor: one. A recording has a thread of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/recorder.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

using attribution::kAnyBackend, attribution::kModuleBackend, attribution::kTracefsBackend;

struct KernelPlan {
  std::string backend{};    // a row's name, or kAnyBackend
  std::string directory{};  // exists
  std::string session{};
  std::vector<std::string> patterns{};  // "SYSTEM:NAME" as the kernel calls them, with * and ?; "kprobe:SYMBOL"
  core::CpuList cpus{};
  std::size_t kb_of_a_cpu = 4096;  // the kernel's buffer of each
  bool flight_recorder = false;    // keep the latest, write snapshots
  std::chrono::nanoseconds snapshot_interval{0};
  std::function<void(const std::string& line)> say = [](const std::string&) {};
};

class KernelRecording {
 public:
  virtual ~KernelRecording() = default;  // without finish(): what was not written is given up; nothing is left behind
  // A snapshot soon, where this is a flight recorder: beside that of a program, which is in `folder`; or, where that is
  // empty, if the last was not less than an interval ago. Any thread.
  virtual void request_snapshot(const std::string& folder) { (void)folder; }
  virtual trace::RecordingReport finish() = 0;  // once
  virtual const char* backend() const = 0;      // its row's name
};

struct KernelBackend {
  const char* name;
  const char* what;
  bool functions;  // records them, too: "kprobe:SYMBOL"
  core::Result<std::unique_ptr<KernelRecording>> (*start)(const KernelPlan& plan);
};
std::span<const KernelBackend> kernel_backends();
// "module|tracefs|auto"
std::string kernel_backend_names();

// Records from now on. ERRORS: that of the back end, or of the last that was tried (Exit::cannot_run).
core::Result<std::unique_ptr<KernelRecording>> start_kernel_recording(const KernelPlan& plan);

// By maxlat_trace.ko, and by the kernel's own trace buffers.
core::Result<std::unique_ptr<KernelRecording>> record_by_module(const KernelPlan& plan);
core::Result<std::unique_ptr<KernelRecording>> record_by_tracefs(const KernelPlan& plan);
// In a recording's folder.
inline constexpr const char* kKernelFolder = "kernel-0";

}  // namespace maxlat::trace_tools
