// SPDX-License-Identifier: MIT
#include "module_flight_recorder.hpp"

#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace maxlat::trace_tools {

ModuleFlightRecorder::ModuleFlightRecorder(const KernelPlan& plan, ModuleSession module)
    : plan_(plan), module_(std::move(module)), report_{.trace = plan.directory, .channels = {}}, thread_([this] {
        run();
      }) {}

ModuleFlightRecorder::~ModuleFlightRecorder() {
  end_thread();
}

void ModuleFlightRecorder::request_snapshot() {
  const std::lock_guard lock(mutex_);
  wanted_ = true;
  wake_.notify_one();
}

void ModuleFlightRecorder::end_thread() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void ModuleFlightRecorder::run() {
  trace::run_where_recorders_do();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return wanted_ || ended_; });
    if (ended_) return;
    wanted_ = false;
    lock.unlock();
    if (!is_too_soon()) take_snapshot();
    lock.lock();
  }
}

bool ModuleFlightRecorder::is_too_soon() {
  const auto now = std::chrono::steady_clock::now();
  if (report_.snapshots != 0 && now - last_ < plan_.snapshot_interval) {
    ++report_.snapshots_skipped;
    return true;
  }
  last_ = now;
  return false;
}

// Numbers are those of the programs' recorders: the next that has no folder of ours.
std::string ModuleFlightRecorder::next_folder() {
  std::error_code none;
  for (std::uint64_t number = report_.snapshots + 1;; ++number) {
    const std::string folder = fmt::format("{}/{}", plan_.directory, number);
    if (!std::filesystem::exists(fmt::format("{}/{}", folder, kKernelFolder), none)) return folder;
  }
}

void ModuleFlightRecorder::take_snapshot() {
  KernelPlan snapshot = plan_;
  snapshot.directory = next_folder();
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
  write(*std::move(writer));
}

void ModuleFlightRecorder::write(std::unique_ptr<trace::TraceWriter> writer) {
  ModuleTrace trace(std::move(writer), plan_.cpus, module_.wanted);
  const std::uint64_t end = maxlat_counter_plain();
  if (!damaged_) {  // the events first: they are overwritten meanwhile
    const base::Status read = module_.session.read([&](const trace::KernelRecord& record) { trace.take(record); });
    if (!read) plan_.say(fmt::format("{}: nothing more is read", read.error().text));
    damaged_ = !read;
  }
  trace.write_state();
  const trace::KernelBooks now = module_.session.books();
  const std::uint64_t read = now.read - taken_.read;
  const trace::KernelBooks of_this = {.delivered = read,  // the others were overwritten, and are in the whole's books
                                      .read = read,
                                      .lost_full = now.lost_full - taken_.lost_full,
                                      .lost_wrap = now.lost_wrap - taken_.lost_wrap,
                                      .lost_big = now.lost_big - taken_.lost_big};
  taken_ = now;
  const trace::RecordingReport report = trace.finish(of_this, end, !damaged_);
  add_up(report);
  plan_.say("snapshot: " + report.trace);
}

void ModuleFlightRecorder::add_up(const trace::RecordingReport& snapshot) {
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

trace::RecordingReport ModuleFlightRecorder::finish() {
  end_thread();
  if (const base::Status stopped = module_.session.stop(); !stopped) plan_.say(stopped.error().text);
  take_snapshot();
  const std::uint64_t overwritten = taken_.delivered - std::min(taken_.delivered, taken_.read);
  if (!report_.channels.empty()) {
    report_.channels.front().overwritten += overwritten;
    report_.channels.front().produced += overwritten;
  }
  return report_;
}

}  // namespace maxlat::trace_tools
