// SPDX-License-Identifier: MIT
#include "explained_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <maxlat/trace/reader.hpp>
#include <set>
#include <utility>

#include "interval_events.hpp"
#include "kernel/state_dump.hpp"
#include "other_cpus.hpp"
#include "traced_events.hpp"

namespace maxlat::trace_tools {
namespace {

bool is_of_kernel(const trace::TraceStream& stream) {
  return stream.channel->kind == trace::StreamKind::kernel;
}

core::Result<TraceNames> read_names(const std::string& folder) {
  trace::ReadOptions options;
  options.wants_stream = [](const trace::TraceStream& stream) {
    return is_of_kernel(stream) && stream.channel_name == StateDump::kChannel;
  };
  auto reader = trace::TraceReader::open(folder, std::move(options));
  if (!reader) return reader.error();
  TraceNames names;
  for (trace::RecordedEvent event; (*reader)->next(event);) {
    const auto name = text_field(event, "name");
    const auto thread = number_field(event, "tid"), function = number_field(event, "function");
    if (name && thread) names.threads[static_cast<std::int32_t>(*thread)] = *name;
    if (name && function) names.functions[*function] = *name;
  }
  return names;
}

// The first tick whose time is not before `ns`: what print shows of an event is the time of its tick.
std::uint64_t tick_at(const trace::TraceTime& time, std::int64_t ns) {
  constexpr std::uint64_t kCentury_s = 3'155'760'000;
  std::uint64_t before = 0, not_before = kCentury_s * time.frequency_hz;
  while (before < not_before) {
    const std::uint64_t middle = before + (not_before - before) / 2;
    if (time.realtime_ns(middle) < ns)
      before = middle + 1;
    else
      not_before = middle;
  }
  return before;
}

std::uint64_t first_tick_of(const trace::StreamLoss& loss, const trace::TraceTime& time) {
  return loss.after_ns ? tick_at(time, *loss.after_ns) : 0;
}

// The process of the trace that is the kernel. ERRORS: there is none; the CPU is not in it.
core::Result<const trace::TraceProcess*> kernel_of(const trace::TraceReader& reader, unsigned cpu) {
  const trace::TraceProcess* kernel = nullptr;
  bool has_switches = false;
  for (const trace::StoredProcess& process : reader.processes()) {
    for (const auto& [id, channel] : process.description.channels) {
      if (channel.kind != trace::StreamKind::kernel) continue;
      if (kernel != nullptr && kernel != &process.description)
        return core::Error{"this folder has several recordings of the kernel", "explain the folder of one of them"};
      kernel = &process.description;
      has_switches = has_switches || std::any_of(channel.events.begin(), channel.events.end(),
                                                 [](const auto& type) { return type.second.name == "sched_switch"; });
    }
  }
  if (kernel == nullptr)
    return core::Error{"this trace has no events of the kernel", "maxlat trace record --kernel records them"};
  if (!has_switches)
    return core::Error{"this trace has no task switches, without which nobody can be named",
                       fmt::format("record sched:sched_switch, too, for CPU {}", cpu)};
  return kernel;
}

// Of what interrupts a task, if it is recorded.
std::vector<std::string> not_recorded_in(const trace::TraceProcess& kernel) {
  constexpr std::pair<const char*, const char*> kInterrupts[] = {
      {"irq_handler_entry", "interrupts of devices"},
      {"x86_irq_vectors_local_timer_entry", "the local timer"},
      {"irq_softirq_entry", "softirqs"}};
  std::set<std::string_view> recorded;
  for (const auto& [id, channel] : kernel.channels)
    for (const auto& [number, type] : channel.events) recorded.insert(type.name);
  std::vector<std::string> missing;
  for (const auto& [event, what] : kInterrupts)
    if (!recorded.contains(event)) missing.emplace_back(what);
  return missing;
}

// Where the trace has looks at the processor's count of system management interrupts, those of the interval are told by
// the tick behind it. It need not come: no longer than a second is waited for it.
std::uint64_t last_look_behind(const trace::TraceProcess& kernel, std::uint64_t to) {
  for (const auto& [id, channel] : kernel.channels)
    for (const auto& [number, type] : channel.events)
      if (type.name == "machine_counts") return to + kernel.time.frequency_hz;
  return to;
}

bool ends_a_tick(const attribution::KernelEvent& event) {
  return event.kind == attribution::EventKind::vector_exit &&
         event.number == static_cast<std::int32_t>(attribution::VectorUse::local_timer);
}

}  // namespace

bool ExplainedInterval::is_whole() const {
  return breaks.empty() && std::none_of(parts.begin(), parts.end(), [](const Part& part) {
           return part.time.kind == core::TimeClass::before_history;
         });
}

core::Result<ExplainedInterval> explain(const ExplainRequest& request) {
  const auto names = read_names(request.folder);
  if (!names) return names.error();
  trace::ReadOptions options;
  options.wants_stream = is_of_kernel;
  auto reader = trace::TraceReader::open(request.folder, std::move(options));
  if (!reader) return reader.error();
  const auto kernel = kernel_of(**reader, request.cpu);
  if (!kernel) return kernel.error();
  const std::uint64_t from = tick_at((*kernel)->time, request.from_ns), to = tick_at((*kernel)->time, request.to_ns);
  if (to <= from) return core::Error{"the interval holds no tick of the counter"};

  IntervalEvents events(from, to, *names);
  TracedEvents decoder;
  std::set<unsigned> seen;
  OtherCpus others(request.cpu, *names);
  const std::uint64_t no_later = last_look_behind(**kernel, to);
  bool reaches_the_end = false, needs_more = true;
  for (trace::RecordedEvent event; needs_more && (*reader)->next(event);) {
    if (event.stream->channel_name == StateDump::kChannel) continue;
    seen.insert(event.stream->owner);
    const bool is_own = event.stream->owner == request.cpu;
    if (event.loss != nullptr && !is_own) events.lose_elsewhere(first_tick_of(*event.loss, (*kernel)->time));
    const auto one = decoder.decode(event);
    if (const auto told = others.see(event, one)) events.add_told(*told);
    if (!is_own) continue;
    reaches_the_end = event.ticks > to;  // its own: another CPU's may have been written when this one's were not
    if (event.loss != nullptr) events.lose(event.ticks);
    if (one) events.add(*one);
    needs_more = event.ticks <= to || (event.ticks <= no_later && !(one && ends_a_tick(*one)));
  }
  if (!seen.contains(request.cpu))
    return core::Error{fmt::format("this trace has no kernel event of CPU {}", request.cpu),
                       fmt::format("it has those of {}", fmt::join(seen, ", "))};
  if (!reaches_the_end) events.end_early();
  ExplainedInterval explained =
      events.explained(request.thread, static_cast<double>((*kernel)->time.frequency_hz) / 1e9);
  explained.not_recorded = not_recorded_in(**kernel);
  for (const trace::TraceBreak& place : (*reader)->breaks())
    explained.breaks.push_back(fmt::format("{}: byte {}: {}", place.file, place.offset, place.why));
  return explained;
}

}  // namespace maxlat::trace_tools
