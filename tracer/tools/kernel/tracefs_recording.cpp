// SPDX-License-Identifier: MIT
//
// Kernel events by tracefs: a thread empties the kernel's buffers of all chosen CPUs some fifty times a second, and
// writes each record under its name in the trace (tracefs_trace.hpp).
//
// BOOKS   What the kernel says it produced (per_cpu/cpuN/stats) is held against what was written and what was lost.
//         Events that newer ones took the place of before they were read are `lost_full`, told where they were lost;
//         how many, the page says where it has room for it, and the kernel's own count otherwise.
#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <algorithm>
#include <maxlat/attribution/reader_thread.hpp>
#include <utility>

#include "kernel_flight_recorder.hpp"
#include "kernel_recording.hpp"
#include "tracefs_history.hpp"
#include "tracefs_trace.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr std::size_t kPagesOfOneTurn = 256;  // of a CPU, before the others have theirs

class TracefsRecording final : public KernelRecording {
 public:
  TracefsRecording(const KernelPlan& plan, TracefsSession session, std::unique_ptr<trace::TraceWriter> writer)
      : say_(plan.say), session_(std::move(session)), trace_(std::move(writer), plan.cpus, session_.conversions) {
    for (const unsigned cpu : plan.cpus) cpus_.push_back({.cpu = cpu});
    reader_.start(
        [this, moved = false]() mutable {
          if (!std::exchange(moved, true)) trace::run_where_recorders_do();
          return read_all();
        },
        kReadKernelEvery);
    trace_.write_state();
  }

  const char* backend() const override { return kTracefsBackend; }

  trace::RecordingReport finish() override {
    reader_.end();
    const std::uint64_t end = maxlat_counter_plain();
    session_.buffers.stop();
    for (std::size_t place = 0; place < cpus_.size(); ++place)
      while (read_some(place)) continue;  // nothing is recorded any more: it ends
    trace::TraceWriter::Told told{};
    for (std::size_t place = 0; place < cpus_.size(); ++place) {
      const Cpu& cpu = cpus_[place];
      const auto counts = session_.buffers.instance().counts_of(cpu.cpu);
      const bool is_whole = !cpu.damaged && counts.dropped == 0 && counts.overwritten <= cpu.lost;
      if (is_whole) trace_.end_of_cpu(place, end);
      told.produced += counts.all();
      told.lost_full += counts.dropped + (counts.overwritten - std::min(counts.overwritten, cpu.lost));
      told.lost_wrap += counts.overrun_writer;
      told.not_written += counts.kept;  // of a CPU whose pages are damaged
    }
    return trace_.finish(told);
  }

 private:
  struct Cpu {
    unsigned cpu = 0;
    std::uint64_t lost = 0;  // told so far
    bool damaged = false;
  };

  // RETURNS, both: there may be more.
  bool read_all() {
    bool more = false;
    for (std::size_t place = 0; place < cpus_.size(); ++place) more = read_some(place) || more;
    trace_.look_at_the_clock();
    return more;
  }
  bool read_some(std::size_t place) {
    Cpu& cpu = cpus_[place];
    for (std::size_t pages = 0; pages < kPagesOfOneTurn && !cpu.damaged; ++pages) {
      const core::Result<bool> any = session_.buffers.read(place, page_);
      if (!any) {
        say_(nothing_more_of(cpu.cpu, any.error()));
        cpu.damaged = true;
      }
      if (!any || !*any) return false;
      if (page_.lost_before) tell_loss(place);
      for (const attribution::RingRecord& record : page_.records) trace_.take(place, record);
    }
    return !cpu.damaged;
  }

  // Never more than the kernel counts in all, so that the books stay exact where a page does not say how many.
  void tell_loss(std::size_t place) {
    Cpu& cpu = cpus_[place];
    const std::uint64_t all = session_.buffers.instance().counts_of(cpu.cpu).overwritten;
    const std::uint64_t untold = all - std::min(all, cpu.lost);
    const std::uint64_t lost = std::min(page_.lost_count.value_or(untold), untold);
    if (lost == 0) return;
    trace_.lose(place, lost);
    cpu.lost += lost;
  }

  std::function<void(const std::string&)> say_;
  TracefsSession session_;
  TracefsTrace trace_;
  std::vector<Cpu> cpus_;
  attribution::RingPage page_;
  attribution::ReaderThread reader_;  // what is above is its own until it ends
};

}  // namespace

core::Result<std::unique_ptr<KernelRecording>> record_by_tracefs(const KernelPlan& plan) {
  auto session = start_tracefs_session(plan);
  if (!session) return session.error();
  if (plan.flight_recorder)
    return std::unique_ptr<KernelRecording>(
        std::make_unique<KernelFlightRecorder>(plan, std::make_unique<TracefsHistory>(plan, *std::move(session))));
  auto writer = make_kernel_writer(plan);
  if (!writer) return writer.error();
  return std::unique_ptr<KernelRecording>(
      std::make_unique<TracefsRecording>(plan, *std::move(session), *std::move(writer)));
}

}  // namespace maxlat::trace_tools
