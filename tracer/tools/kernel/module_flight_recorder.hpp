// SPDX-License-Identifier: MIT
//
// The latest of the kernel's events, by maxlat_trace.ko: its rings overwrite, and nobody reads them until a snapshot is
// asked for. Then what they hold is written as a trace of its own, DIR/<n>/kernel-0, beside the programs' snapshots of
// the same request, with a state dump of that moment; so is the rest at the end. What a snapshot took is not in the
// next one.
//
// THREADS  one of its own, asleep but for snapshots. request_snapshot(): any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "kernel_recording.hpp"
#include "module_trace.hpp"

namespace maxlat::trace_tools {

class ModuleFlightRecorder final : public KernelRecording {
 public:
  ModuleFlightRecorder(const KernelPlan& plan, ModuleSession module);
  ~ModuleFlightRecorder() override;

  const char* backend() const override { return kModuleBackend; }
  void request_snapshot(const std::string& folder) override;
  trace::RecordingReport finish() override;

 private:
  void run();
  void end_thread();
  bool is_too_soon();
  void take_snapshot(const std::string& asked);
  std::string folder_for(const std::string& asked);
  bool take_cpu(unsigned cpu, ModuleTrace& trace);
  void write(std::unique_ptr<trace::TraceWriter> writer);
  void add_up(const trace::RecordingReport& snapshot);

  const KernelPlan plan_;
  ModuleSession module_;
  trace::KernelBooks taken_;  // up to the last snapshot
  trace::RecordingReport report_;
  bool damaged_ = false;
  std::chrono::steady_clock::time_point last_{};

  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = false, ended_ = false;
  std::string folder_;  // of the last request
  std::thread thread_;  // what is above the mutex is its own until it ends
};

}  // namespace maxlat::trace_tools
