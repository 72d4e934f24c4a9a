// SPDX-License-Identifier: MIT
//
// Kernel events by tracefs: a thread empties the kernel's buffers of all chosen CPUs some fifty times a second, and
// writes each record under its name in the trace (kernel_conversion.hpp).
//
// BOOKS   What the kernel says it produced (per_cpu/cpuN/stats) is held against what was written and what was lost.
//         Events that newer ones took the place of before they were read are `lost_full`, told where they were lost;
//         how many, the page says where it has room for it, and the kernel's own count otherwise.
#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <algorithm>
#include <chrono>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/attribution/reader_thread.hpp>
#include <maxlat/trace/trace_writer.hpp>
#include <optional>
#include <utility>

#include "kernel_conversion.hpp"
#include "kernel_patterns.hpp"
#include "kernel_recording.hpp"
#include "kernel_trace.hpp"
#include "system_calls.hpp"

namespace maxlat::trace_tools {
namespace {

using attribution::KernelBuffers;
using attribution::RingPage;

constexpr std::size_t kPagesOfOneTurn = 256;  // of a CPU, before the others have theirs

// By the kernel's number of the event.
struct KnownEvent {
  KernelConversion conversion;
  std::uint32_t id = 0;  // in the trace; of a system call `calls` has it
  SystemCallEvents calls{};
};
struct KnownEvents {
  std::vector<std::optional<KnownEvent>> by_number;
  std::vector<std::string> names;  // "sched/sched_switch"
};

core::Status add_event(const std::string& events, const std::string& name, KnownEvents& known) {
  const auto format = attribution::read_event_format(events, name);
  if (!format) return format.error();
  if (!*format) return {};
  KernelConversion conversion(**format);
  const bool taken = std::any_of(known.by_number.begin(), known.by_number.end(), [&](const auto& other) {
    return other && other->conversion.name() == conversion.name();
  });
  if (taken) conversion.rename(name.substr(0, name.find('/')) + "_" + conversion.name());
  const std::size_t number = (*format)->id;
  if (known.by_number.size() <= number) known.by_number.resize(number + 1);
  known.by_number[number].emplace(KnownEvent{.conversion = std::move(conversion)});
  known.names.push_back(name);
  return {};
}

core::Result<KnownEvents> known_events(const std::string& events, const std::vector<std::string>& patterns) {
  KnownEvents known;
  for (const std::string& name : attribution::matching_events(events, patterns))
    if (const core::Status added = add_event(events, name, known); !added) return added.error();
  if (known.names.empty()) return core::cannot_run("this kernel has none of the wanted events");
  return known;
}

class TracefsRecording final : public KernelRecording {
 public:
  TracefsRecording(const KernelPlan& plan, KernelBuffers buffers, KnownEvents events,
                   std::unique_ptr<trace::TraceWriter> writer)
      : say_(plan.say), buffers_(std::move(buffers)), events_(std::move(events)), trace_(std::move(writer), plan.cpus) {
    for (auto& event : events_.by_number)
      if (event && !event->conversion.is_of_system_calls())
        event->id = trace_.add_event(event->conversion.description());
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
    buffers_.stop();
    for (std::size_t place = 0; place < cpus_.size(); ++place)
      while (read_some(place)) continue;  // nothing is recorded any more: it ends
    trace::TraceWriter::Told told{.not_written = unknown_};
    for (std::size_t place = 0; place < cpus_.size(); ++place) {
      const Cpu& cpu = cpus_[place];
      const auto counts = buffers_.instance().counts_of(cpu.cpu);
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
      const core::Result<bool> any = buffers_.read(place, page_);
      if (!any) {
        say_(fmt::format("CPU {}: {}: nothing more is read of it", cpu.cpu, any.error().text));
        cpu.damaged = true;
      }
      if (!any || !*any) return false;
      if (page_.lost_before) tell_loss(place);
      for (const attribution::RingRecord& record : page_.records) take(place, record);
    }
    return !cpu.damaged;
  }

  // Never more than the kernel counts in all, so that the books stay exact where a page does not say how many.
  void tell_loss(std::size_t place) {
    Cpu& cpu = cpus_[place];
    const std::uint64_t all = buffers_.instance().counts_of(cpu.cpu).overwritten;
    const std::uint64_t untold = all - std::min(all, cpu.lost);
    const std::uint64_t lost = std::min(page_.lost_count.value_or(untold), untold);
    if (lost == 0) return;
    trace_.lose(place, lost);
    cpu.lost += lost;
  }

  void take(std::size_t place, const attribution::RingRecord& record) {
    const std::uint64_t number = record.bytes.size() < 2 ? 0 : attribution::word_of(record.bytes.first(2));
    payload_.clear();
    KnownEvent* const event =
        number < events_.by_number.size() && events_.by_number[number] ? &*events_.by_number[number] : nullptr;
    if (event == nullptr || !event->conversion.convert(record.bytes, payload_)) {
      ++unknown_;
      return;
    }
    trace_.write(place, id_of(*event, record), record.tick, payload_);
    if (const auto function = event->conversion.function(record.bytes)) trace_.met_function(*function);
    if (const auto caller = event->conversion.caller(record.bytes)) trace_.met_caller(*caller);
  }

  std::uint32_t id_of(KnownEvent& event, const attribution::RingRecord& record) {
    if (!event.conversion.is_of_system_calls()) return event.id;
    return event.calls.of(event.conversion.system_call(record.bytes), event.conversion.description(),
                          [this](const trace::EventDescription& one) { return trace_.add_event(one); });
  }

  std::function<void(const std::string&)> say_;
  KernelBuffers buffers_;
  KnownEvents events_;
  KernelTrace trace_;
  std::vector<Cpu> cpus_;
  RingPage page_;
  std::vector<std::uint8_t> payload_;
  std::uint64_t unknown_ = 0;         // records of no event that was asked for, or shorter than its format
  attribution::ReaderThread reader_;  // what is above is its own until it ends
};

}  // namespace

core::Result<std::unique_ptr<KernelRecording>> record_by_tracefs(const KernelPlan& plan) {
  auto buffers = KernelBuffers::open("/");
  if (!buffers) return buffers.error();
  auto events = known_events(buffers->events(), plan.patterns.empty() ? default_kernel_patterns() : plan.patterns);
  if (!events) return events.error();
  if (const core::Status recording = buffers->record(plan.cpus, events->names, plan.kb_of_a_cpu); !recording)
    return recording.error();
  auto writer = make_kernel_writer(plan);
  if (!writer) return writer.error();
  return std::unique_ptr<KernelRecording>(
      std::make_unique<TracefsRecording>(plan, *std::move(buffers), *std::move(events), *std::move(writer)));
}

}  // namespace maxlat::trace_tools
