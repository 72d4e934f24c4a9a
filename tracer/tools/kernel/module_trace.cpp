// SPDX-License-Identifier: MIT
#include "module_trace.hpp"

#include <algorithm>
#include <bit>
#include <maxlat/attribution/kernel_backend.hpp>
#include <optional>
#include <utility>

#include "kernel_events/left_out.hpp"
#include "kernel_events/wanted_events.hpp"
#include "kernel_patterns.hpp"

namespace maxlat::trace_tools {
namespace {

using trace::KernelEventType;
using trace::KernelRecord;

constexpr std::uint32_t kRingBits = 3;  // eight packets a ring, as many as let one be read while others fill
constexpr std::uint64_t kSwitches = std::uint64_t{1} << (MAXLAT_KERNEL_sched_switch - 1);

core::Result<WantedKernelEvents> wanted_of(const KernelPlan& plan, std::uint64_t known) {
  if (!plan.patterns.empty()) return wanted_kernel_events(plan.patterns, known);
  WantedKernelEvents wanted;
  for (const std::string& pattern : default_kernel_patterns())
    wanted.table |= trace::kernel_events_matching(pattern) & known;
  return wanted;
}

// Of a system call's two events: the field that has its number; of any other null.
const trace::KernelField* call_of(const KernelEventType& type) {
  const bool is_call = type.id == MAXLAT_KERNEL_sys_enter || type.id == MAXLAT_KERNEL_sys_exit;
  return is_call ? &type.fields.front() : nullptr;
}

using EventTypes = std::vector<const KernelEventType*>;

// Where the kernel allows no tracepoint that the module does not know, those of the table are recorded all the same.
core::Result<EventTypes> add_events(trace::KernelSession& session, const WantedKernelEvents& wanted,
                                    const KernelPlan& plan) {
  EventTypes types;
  LeftOut left_out;
  std::optional<core::Error> why;  // of the first
  for (const KernelEventType& type : trace::kernel_event_types())
    if ((wanted.table & type.bit()) != 0) types.push_back(&type);
  for (const trace::KernelRawEvent& raw : wanted.raw) {
    const auto type = session.add(raw);
    if (type) {
      types.push_back(*type);
      continue;
    }
    if (type.error().exit_status != core::Exit::cannot_run) return type.error();
    left_out.add(raw.name, type.error().text);
    if (!why) why = type.error();
  }
  if (why && types.empty()) return *why;
  if (why) plan.say("not recorded: what the module does not know: " + left_out.text());
  return types;
}

}  // namespace

core::Result<ModuleSession> start_module_session(const KernelPlan& plan) {
  if (core::Status ours = attribution::numbers_are_the_kernels("/"); !ours) return ours.error();
  auto session = trace::KernelSession::open();
  if (!session) return attribution::module_not_there(session.error());
  const std::uint64_t known = session->capabilities().events;
  const auto wanted = wanted_of(plan, known);
  if (!wanted) return wanted.error();
  auto types = add_events(*session, *wanted, plan);
  if (!types) return types.error();
  // The kernel's buffer of a CPU, rounded down to a power of two.
  const auto bits = static_cast<std::uint32_t>(std::bit_width(plan.kb_of_a_cpu << 10)) - 1;
  if (const core::Status started = session->start({.events = wanted->table | (kSwitches & known),
                                                   .cpus = plan.cpus,
                                                   .sub_buffer_bits = std::clamp(bits - kRingBits, 12u, 22u),
                                                   .ring_bits = kRingBits,
                                                   .overwrite = plan.flight_recorder,
                                                   .period = std::chrono::milliseconds(0)});
      !started)
    return started.error();
  for (const std::string& note : wanted->notes) plan.say(note);
  if (!wanted->left_out.empty()) plan.say("not recorded: " + wanted->left_out);
  return ModuleSession{*std::move(session), *std::move(types)};
}

ModuleTrace::ModuleTrace(std::unique_ptr<trace::TraceWriter> writer, core::CpuList cpus,
                         const std::vector<const KernelEventType*>& wanted)
    : cpus_(std::move(cpus)), trace_(std::move(writer), cpus_), threads_(cpus_.size()) {
  for (const KernelEventType* const type : wanted) {
    TypeInTrace& known = types_[type->id];
    known.any = describe(*type);
    if (!call_of(*type)) known.id = trace_.add_event(known.any.description());
  }
}

std::size_t ModuleTrace::place_of(std::uint32_t cpu) const {
  return static_cast<std::size_t>(std::lower_bound(cpus_.begin(), cpus_.end(), cpu) - cpus_.begin());
}

void ModuleTrace::take(const KernelRecord& record) {
  const std::size_t place = place_of(record.cpu);
  threads_[place].take(record, [&](const KernelRecord& one, std::int32_t thread) { write(place, one, thread); });
}

std::uint32_t ModuleTrace::id_of(TypeInTrace& type, const KernelRecord& record) {
  const trace::KernelField* const call = call_of(*record.type);
  if (call == nullptr) return type.id;
  return type.calls.of(record.number(*call), type.any.description(),
                       [this](const trace::EventDescription& one) { return trace_.add_event(one); });
}

void ModuleTrace::write(std::size_t place, const KernelRecord& record, std::int32_t thread) {
  if (record.lost_before != 0) {
    trace_.lose(place, record.lost_before);
    told_ += record.lost_before;
  }
  const auto known = types_.find(record.type->id);
  if (known == types_.end()) {  // a switch that only tells who runs
    ++unasked_;
    return;
  }
  payload_.clear();
  append_record(record, thread, payload_);
  trace_.write(place, id_of(known->second, record), record.tick, payload_);
  for (const trace::KernelField& field : record.type->fields) {
    if (field.name == "function") trace_.met_function(static_cast<std::uint64_t>(record.number(field)));
    if (field.name == "callsite") trace_.met_caller(static_cast<std::uint64_t>(record.number(field)));
  }
}

trace::RecordingReport ModuleTrace::finish(const trace::KernelBooks& books, std::uint64_t end,
                                           const std::vector<bool>& is_whole) {
  for (std::size_t place = 0; place < threads_.size(); ++place)
    threads_[place].finish([&](const KernelRecord& record, std::int32_t thread) { write(place, record, thread); });
  const std::uint64_t lost = books.lost_full + books.lost_wrap + books.lost_big;
  const std::uint64_t untold = lost - std::min(lost, told_), of_wrap = std::min(books.lost_wrap, untold);
  for (std::size_t place = 0; place < threads_.size() && untold == 0; ++place)
    if (is_whole[place]) trace_.end_of_cpu(place, end);
  return trace_.finish({.produced = books.delivered + lost - unasked_,
                        .lost_full = untold - of_wrap,
                        .lost_wrap = of_wrap,
                        .not_written = books.delivered - std::min(books.delivered, books.read)});
}

}  // namespace maxlat::trace_tools
