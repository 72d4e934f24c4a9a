// SPDX-License-Identifier: MIT
#include "module_flight_recorder.hpp"

#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace maxlat::trace_tools {
namespace {

constexpr int kLooks = 100;
constexpr std::chrono::microseconds kBetweenLooks(100);

}  // namespace

ModuleFlightRecorder::ModuleFlightRecorder(const KernelPlan& plan, ModuleSession module)
    : plan_(plan), module_(std::move(module)), report_{.trace = plan.directory, .channels = {}}, thread_([this] {
        run();
      }) {}

ModuleFlightRecorder::~ModuleFlightRecorder() {
  end_thread();
}

void ModuleFlightRecorder::request_snapshot(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  if (!folder.empty() && folder == folder_) return;  // of another program, for the same request
  wanted_ = true;
  folder_ = folder;
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
    const std::string folder = folder_;
    lock.unlock();
    // A program's recorder has looked at its own interval.
    if (!folder.empty() || !is_too_soon()) take_snapshot(folder);
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

// The program's, where this is its request and has no snapshot of ours yet (of an earlier one of another program: each
// counts for itself); else the next that has none.
std::string ModuleFlightRecorder::folder_for(const std::string& asked) {
  std::error_code none;
  if (!asked.empty() && !std::filesystem::exists(fmt::format("{}/{}", asked, kKernelFolder), none)) return asked;
  for (std::uint64_t number = report_.snapshots + 1;; ++number) {
    const std::string folder = fmt::format("{}/{}", plan_.directory, number);
    if (!std::filesystem::exists(fmt::format("{}/{}", folder, kKernelFolder), none)) return folder;
  }
}

void ModuleFlightRecorder::take_snapshot(const std::string& asked) {
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
  write(*std::move(writer));
}

// RETURNS: whether all was taken that was there when it began. Who writes to a packet then keeps it for a moment.
bool ModuleFlightRecorder::take_cpu(unsigned cpu, ModuleTrace& trace) {
  for (int look = 0; look < kLooks && !damaged_; ++look) {
    const auto whole = module_.session.read_cpu(cpu, [&](const trace::KernelRecord& record) { trace.take(record); });
    if (whole && *whole) return true;
    if (whole) {
      std::this_thread::sleep_for(kBetweenLooks);
      continue;
    }
    plan_.say(fmt::format("{}: nothing more is read", whole.error().text));
    damaged_ = true;
  }
  return false;
}

void ModuleFlightRecorder::write(std::unique_ptr<trace::TraceWriter> writer) {
  ModuleTrace trace(std::move(writer), plan_.cpus, module_.wanted);
  const std::uint64_t end = maxlat_counter_plain();
  // The events first: they are overwritten meanwhile.
  std::vector<bool> is_whole;
  for (const unsigned cpu : plan_.cpus) is_whole.push_back(take_cpu(cpu, trace));
  trace.write_state();
  const trace::KernelBooks now = module_.session.books();
  const std::uint64_t read = now.read - taken_.read;
  const trace::KernelBooks of_this = {.delivered = read,  // the others were overwritten, and are in the whole's books
                                      .read = read,
                                      .lost_full = now.lost_full - taken_.lost_full,
                                      .lost_wrap = now.lost_wrap - taken_.lost_wrap,
                                      .lost_big = now.lost_big - taken_.lost_big};
  taken_ = now;
  const trace::RecordingReport report = trace.finish(of_this, end, is_whole);
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
  take_snapshot("");
  const std::uint64_t overwritten = taken_.delivered - std::min(taken_.delivered, taken_.read);
  if (!report_.channels.empty()) {
    report_.channels.front().overwritten += overwritten;
    report_.channels.front().produced += overwritten;
  }
  return report_;
}

}  // namespace maxlat::trace_tools
