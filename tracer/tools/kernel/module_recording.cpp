// SPDX-License-Identifier: MIT
//
// Kernel events by maxlat_trace.ko: a thread reads the rings of all chosen CPUs some fifty times a second, out of
// memory that it shares with the kernel, and writes each record under its name in the trace.
//
// BOOKS   The rings count what was delivered and what found no room. Where that was, the record behind it tells.
#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <maxlat/attribution/reader_thread.hpp>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <maxlat/trace/trace_writer.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel_events/wanted_events.hpp"
#include "kernel_patterns.hpp"
#include "kernel_recording.hpp"
#include "kernel_trace.hpp"
#include "module_records.hpp"

namespace maxlat::trace_tools {
namespace {

using trace::KernelEventType;
using trace::KernelRecord;
using trace::KernelSession;

constexpr std::uint32_t kRingBits = 3;  // eight packets a ring, as many as let one be read while others fill
constexpr std::uint64_t kSwitches = std::uint64_t{1} << (MAXLAT_KERNEL_sched_switch - 1);

std::uint64_t default_events(std::uint64_t known) {
  std::uint64_t all = 0;
  for (const std::string& pattern : default_kernel_patterns()) all |= trace::kernel_events_matching(pattern);
  return all & known;
}

core::Result<WantedKernelEvents> wanted_of(const KernelPlan& plan, std::uint64_t known) {
  if (plan.patterns.empty()) return WantedKernelEvents{.table = default_events(known)};
  return wanted_kernel_events(plan.patterns, known);
}

core::Result<std::vector<const KernelEventType*>> add_events(KernelSession& session, const WantedKernelEvents& wanted) {
  std::vector<const KernelEventType*> events;
  for (const KernelEventType& type : trace::kernel_event_types())
    if ((wanted.table & type.bit()) != 0) events.push_back(&type);
  for (const trace::KernelRawEvent& raw : wanted.raw) {
    const auto type = session.add(raw);
    if (!type) return type.error();
    events.push_back(*type);
  }
  return events;
}

class ModuleRecording final : public KernelRecording {
 public:
  ModuleRecording(const KernelPlan& plan, KernelSession session, const std::vector<const KernelEventType*>& events,
                  std::unique_ptr<trace::TraceWriter> writer)
      : say_(plan.say), cpus_(plan.cpus), session_(std::move(session)), trace_(std::move(writer), plan.cpus) {
    for (const KernelEventType* const type : events) ids_[type->id] = trace_.add_event(describe(*type).description());
    threads_.resize(plan.cpus.size());
    reader_.start(
        [this, moved = false]() mutable {
          if (!std::exchange(moved, true)) trace::run_where_recorders_do();
          read_all();
          return false;
        },
        kReadKernelEvery);
    trace_.write_state();
  }

  const char* backend() const override { return kModuleBackend; }

  trace::RecordingReport finish() override {
    reader_.end();
    const std::uint64_t end = maxlat_counter_plain();
    if (const base::Status stopped = session_.stop(); !stopped) say_(stopped.error().text);
    read_all();
    for (std::size_t place = 0; place < threads_.size(); ++place)
      threads_[place].finish([&](const KernelRecord& record, std::int32_t thread) { write(place, record, thread); });
    const trace::KernelBooks books = session_.books();
    const std::uint64_t lost = books.lost_full + books.lost_wrap + books.lost_big;
    const std::uint64_t untold = lost - std::min(lost, told_), of_wrap = std::min(books.lost_wrap, untold);
    for (std::size_t place = 0; place < threads_.size() && !damaged_ && untold == 0; ++place)
      trace_.end_of_cpu(place, end);
    return trace_.finish({.produced = books.delivered + lost - unasked_,
                          .lost_full = untold - of_wrap,
                          .lost_wrap = of_wrap,
                          .not_written = books.delivered - std::min(books.delivered, books.read)});
  }

 private:
  void read_all() {
    if (damaged_) return;
    const base::Status read = session_.read([this](const KernelRecord& record) {
      const auto place =
          static_cast<std::size_t>(std::lower_bound(cpus_.begin(), cpus_.end(), record.cpu) - cpus_.begin());
      threads_[place].take(record, [&](const KernelRecord& one, std::int32_t thread) { write(place, one, thread); });
    });
    if (!read) {
      say_(fmt::format("{}: nothing more is read", read.error().text));
      damaged_ = true;
    }
    trace_.look_at_the_clock();
  }

  void write(std::size_t place, const KernelRecord& record, std::int32_t thread) {
    if (record.lost_before != 0) {
      trace_.lose(place, record.lost_before);
      told_ += record.lost_before;
    }
    const auto id = ids_.find(record.type->id);
    if (id == ids_.end()) {  // a switch that only tells who runs
      ++unasked_;
      return;
    }
    payload_.clear();
    append_record(record, thread, payload_);
    trace_.write(place, id->second, record.tick, payload_);
    for (const trace::KernelField& field : record.type->fields)
      if (field.name == "function") trace_.met_function(static_cast<std::uint64_t>(record.number(field)));
  }

  std::function<void(const std::string&)> say_;
  const core::CpuList cpus_;
  KernelSession session_;
  KernelTrace trace_;
  std::unordered_map<std::uint32_t, std::uint32_t> ids_;  // in the trace, by the module's
  std::vector<ThreadsOfCpu> threads_;              // of each of the CPUs
  std::vector<std::uint8_t> payload_;
  std::uint64_t told_ = 0, unasked_ = 0;
  bool damaged_ = false;
  attribution::ReaderThread reader_;  // what is above is its own until it ends
};

}  // namespace

core::Result<std::unique_ptr<KernelRecording>> record_by_module(const KernelPlan& plan) {
  auto session = KernelSession::open();
  if (!session) return session.error();
  const std::uint64_t known = session->capabilities().events;
  const auto wanted = wanted_of(plan, known);
  if (!wanted) return wanted.error();
  auto events = add_events(*session, *wanted);
  if (!events) return events.error();
  // The kernel's buffer of a CPU, rounded down to a power of two.
  const auto bits = static_cast<std::uint32_t>(std::bit_width(plan.kb_of_a_cpu << 10)) - 1;
  if (const core::Status started = session->start({.events = wanted->table | (kSwitches & known),
                                                   .cpus = plan.cpus,
                                                   .sub_buffer_bits = std::clamp(bits - kRingBits, 12u, 22u),
                                                   .ring_bits = kRingBits,
                                                   .period = std::chrono::milliseconds(0)});
      !started)
    return started.error();
  auto writer = make_kernel_writer(plan);
  if (!writer) return writer.error();
  if (!wanted->left_out.empty()) plan.say("not recorded: " + wanted->left_out);
  return std::unique_ptr<KernelRecording>(
      std::make_unique<ModuleRecording>(plan, *std::move(session), *events, *std::move(writer)));
}

}  // namespace maxlat::trace_tools
