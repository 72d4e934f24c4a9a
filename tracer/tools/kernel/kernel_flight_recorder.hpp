// SPDX-License-Identifier: MIT
//
// The latest of the kernel's events: its buffers overwrite, and nobody reads them until a snapshot is asked for. Then
// what they hold is written as a trace of its own, DIR/<n>/kernel-0, beside the programs' snapshots of the same
// request, with a state dump of that moment; so is the rest at the end. What a snapshot took is not in the next one.
//
// THREADS  one of its own, asleep but for snapshots. request_snapshot(): any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <maxlat/trace/trace_writer.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "kernel_recording.hpp"

namespace maxlat::trace_tools {

// A back end's buffers that overwrite. THREADS: one at a time.
class KernelHistory {
 public:
  virtual ~KernelHistory() = default;
  virtual const char* backend() const = 0;  // its row's name
  // Takes what is there, as a trace. What newer events took the place of is not among its losses (overwritten()).
  virtual trace::RecordingReport write(std::unique_ptr<trace::TraceWriter> writer) = 0;
  // Nothing is recorded from here on.
  virtual void stop() = 0;
  // Events that are in none of the traces, because newer ones took their place. Behind stop() and the last write().
  virtual std::uint64_t overwritten() const = 0;
};

class KernelFlightRecorder final : public KernelRecording {
 public:
  KernelFlightRecorder(const KernelPlan& plan, std::unique_ptr<KernelHistory> history);
  ~KernelFlightRecorder() override;

  const char* backend() const override { return history_->backend(); }
  void request_snapshot(const std::string& folder) override;
  trace::RecordingReport finish() override;

 private:
  void run();
  void end_thread();
  bool is_too_soon();
  void take_snapshot(const std::string& asked);
  std::string folder_for(const std::string& asked);
  void add_up(const trace::RecordingReport& snapshot);

  const KernelPlan plan_;
  const std::unique_ptr<KernelHistory> history_;
  trace::RecordingReport report_;
  std::chrono::steady_clock::time_point last_{};

  std::mutex mutex_;
  std::condition_variable wake_;
  bool wanted_ = false, ended_ = false;
  std::string folder_;  // of the last request
  std::thread thread_;  // what is above the mutex is its own until it ends
};

}  // namespace maxlat::trace_tools
