// SPDX-License-Identifier: MIT
#include "kernel_flight_recorder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "kernel_trace.hpp"

namespace maxlat::trace_tools {

KernelFlightRecorder::KernelFlightRecorder(const KernelPlan& plan, std::unique_ptr<KernelHistory> history)
    : plan_(plan), history_(std::move(history)), report_{.trace = plan.directory, .channels = {}}, thread_([this] {
        run();
      }) {}

KernelFlightRecorder::~KernelFlightRecorder() {
  end_thread();
}

void KernelFlightRecorder::request_snapshot(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  if (!folder.empty() && folder == folder_) return;  // of another program, for the same request
  wanted_ = true;
  folder_ = folder;
  wake_.notify_one();
}

void KernelFlightRecorder::end_thread() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void KernelFlightRecorder::run() {
  trace::run_where_recorders_do();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return wanted_ || ended_; });
    if (ended_) return;
    wanted_ = false;
    const std::string folder = folder_;
    lock.unlock();
    // A program's recorder has looked at its own interval.
    if (!folder.empty() || !is_too_soon()) take_snapshot(folder);
    lock.lock();
  }
}

bool KernelFlightRecorder::is_too_soon() {
  const auto now = std::chrono::steady_clock::now();
  if (report_.snapshots != 0 && now - last_ < plan_.snapshot_interval) {
    ++report_.snapshots_skipped;
    return true;
  }
  last_ = now;
  return false;
}

// The program's, where this is its request and has no snapshot of ours yet (of an earlier one of another program: each
// counts for itself); else the next that has none.
std::string KernelFlightRecorder::folder_for(const std::string& asked) {
  std::error_code none;
  if (!asked.empty() && !std::filesystem::exists(fmt::format("{}/{}", asked, kKernelFolder), none)) return asked;
  for (std::uint64_t number = report_.snapshots + 1;; ++number) {
    const std::string folder = fmt::format("{}/{}", plan_.directory, number);
    if (!std::filesystem::exists(fmt::format("{}/{}", folder, kKernelFolder), none)) return folder;
  }
}

void KernelFlightRecorder::take_snapshot(const std::string& asked) {
  KernelPlan snapshot = plan_;
  snapshot.directory = folder_for(asked);
  std::error_code failed;
  std::filesystem::create_directories(snapshot.directory, failed);
  auto writer = failed
                    ? core::Error{fmt::format("cannot create the folder {}: {}", snapshot.directory, failed.message())}
                    : make_kernel_writer(snapshot);
  if (!writer) {
    plan_.say(writer.error().text);
    report_.write_failed = true;
    return;
  }
  const trace::RecordingReport report = history_->write(*std::move(writer));
  add_up(report);
  plan_.say("snapshot: " + report.trace);
}

void KernelFlightRecorder::add_up(const trace::RecordingReport& snapshot) {
  ++report_.snapshots;
  report_.write_failed |= snapshot.write_failed;
  if (report_.channels.empty()) {
    report_.channels = snapshot.channels;
    return;
  }
  for (std::size_t i = 0; i < report_.channels.size(); ++i) {
    trace::ChannelBooks& sum = report_.channels[i];
    const trace::ChannelBooks& more = snapshot.channels[i];
    sum.produced += more.produced;
    sum.recorded += more.recorded;
    sum.lost_full += more.lost_full;
    sum.lost_wrap += more.lost_wrap;
    sum.lost_big += more.lost_big;
    sum.not_written += more.not_written;
    sum.bytes += more.bytes;
  }
}

trace::RecordingReport KernelFlightRecorder::finish() {
  end_thread();
  history_->stop();
  take_snapshot("");
  if (!report_.channels.empty()) {
    const std::uint64_t overwritten = history_->overwritten();
    report_.channels.front().overwritten += overwritten;
    report_.channels.front().produced += overwritten;
  }
  return report_;
}

}  // namespace maxlat::trace_tools
