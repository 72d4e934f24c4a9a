// SPDX-License-Identifier: MIT
#include "tracefs_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel_patterns.hpp"

namespace maxlat::trace_tools {
namespace {

using attribution::KernelBuffers;

struct KnownEvents {
  std::vector<std::optional<KernelConversion>> by_number;
  std::vector<std::string> names;  // "sched/sched_switch"
};

core::Status add_event(const std::string& events, const std::string& name, KnownEvents& known) {
  const auto format = attribution::read_event_format(events, name);
  if (!format) return format.error();
  if (!*format) return {};
  KernelConversion conversion(**format);
  const bool taken = std::any_of(known.by_number.begin(), known.by_number.end(),
                                 [&](const auto& other) { return other && other->name() == conversion.name(); });
  if (taken) conversion.rename(name.substr(0, name.find('/')) + "_" + conversion.name());
  const std::size_t number = (*format)->id;
  if (known.by_number.size() <= number) known.by_number.resize(number + 1);
  known.by_number[number].emplace(std::move(conversion));
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

}  // namespace

core::Result<TracefsSession> start_tracefs_session(const KernelPlan& plan) {
  auto buffers = KernelBuffers::open("/");
  if (!buffers) return buffers.error();
  auto events = known_events(buffers->events(), plan.patterns.empty() ? default_kernel_patterns() : plan.patterns);
  if (!events) return events.error();
  if (const core::Status recording = buffers->record(plan.cpus, events->names, plan.kb_of_a_cpu); !recording)
    return recording.error();
  return TracefsSession{*std::move(buffers), std::move(events->by_number)};
}

std::string nothing_more_of(unsigned cpu, const core::Error& why) {
  return fmt::format("CPU {}: {}: nothing more is read of it", cpu, why.text);
}

TracefsTrace::TracefsTrace(std::unique_ptr<trace::TraceWriter> writer, const core::CpuList& cpus,
                           const std::vector<std::optional<KernelConversion>>& conversions)
    : trace_(std::move(writer), cpus), events_(conversions.size()) {
  for (std::size_t number = 0; number < conversions.size(); ++number) {
    if (!conversions[number]) continue;
    EventInTrace& event = events_[number];
    event.conversion = &*conversions[number];
    if (!event.conversion->is_of_system_calls()) event.id = trace_.add_event(event.conversion->description());
  }
}

void TracefsTrace::take(std::size_t place, const attribution::RingRecord& record) {
  const std::uint64_t number = record.bytes.size() < 2 ? 0 : attribution::word_of(record.bytes.first(2));
  EventInTrace* const event = number < events_.size() && events_[number].conversion ? &events_[number] : nullptr;
  payload_.clear();
  if (event == nullptr || !event->conversion->convert(record.bytes, payload_)) {
    ++unknown_;
    return;
  }
  trace_.write(place, id_of(*event, record), record.tick, payload_);
  if (const auto function = event->conversion->function(record.bytes)) trace_.met_function(*function);
  if (const auto caller = event->conversion->caller(record.bytes)) trace_.met_caller(*caller);
}

std::uint32_t TracefsTrace::id_of(EventInTrace& event, const attribution::RingRecord& record) {
  if (!event.conversion->is_of_system_calls()) return event.id;
  return event.calls.of(event.conversion->system_call(record.bytes), event.conversion->description(),
                        [this](const trace::EventDescription& one) { return trace_.add_event(one); });
}

trace::RecordingReport TracefsTrace::finish(trace::TraceWriter::Told told) {
  told.not_written += unknown_;
  return trace_.finish(told);
}

}  // namespace maxlat::trace_tools
