// SPDX-License-Identifier: MIT
#include "other_cpus.hpp"

#include <maxlat/trace/field_values.hpp>

#include "traced_events.hpp"

namespace maxlat::trace_tools {
namespace {

using attribution::EventKind;
using attribution::KernelEvent;

constexpr std::size_t kMostThreads = 1 << 16;  // then it begins anew

// Whether the bit of a CPU is set in a field of integers, the lowest first.
bool has_bit(const trace::FieldValue& mask, unsigned bit) {
  const std::size_t bits = std::size_t{8} * mask.field->bytes;
  return bit / bits < mask.count && (mask.unsigned_at(bit / bits) >> bit % bits & 1) != 0;
}

}  // namespace

OtherCpus::Use OtherCpus::use_of(std::string_view name) {
  if (name == "sched_switch") return Use::task_switch;
  if (name == "sched_waking") return Use::waking;
  if (name == "ipi_send_cpu") return Use::send;
  return name == "ipi_send_cpumask" ? Use::send_mask : Use::nothing;
}

bool OtherCpus::is_sent_here(const trace::RecordedEvent& event, Use use) const {
  if (use == Use::send) return number_field(event, "cpu") == cpu_;
  trace::FieldValues values(event.type->fields, event.payload);
  for (trace::FieldValue value; values.next(value);)
    if (value.field->name == "cpus" || value.field->name == "cpumask") return has_bit(value, cpu_);
  return false;
}

std::string_view OtherCpus::name_of(std::int32_t thread) const {
  if (const auto known = threads_.find(thread); known != threads_.end()) return known->second;
  const auto dumped = names_.threads.find(thread);
  return dumped == names_.threads.end() ? std::string_view("(unknown)") : dumped->second;
}

std::optional<KernelEvent> OtherCpus::see(const trace::RecordedEvent& event) {
  if (by_type_.size() <= event.type->number) by_type_.resize(event.type->number + 1, Use::not_looked_up);
  Use& use = by_type_[event.type->number];
  if (use == Use::not_looked_up) use = use_of(event.type->name);
  if (use == Use::nothing) return {};
  if (use == Use::task_switch) {
    const auto thread = number_field(event, "next_tid");
    const auto name = text_field(event, "next_comm");
    if (threads_.size() >= kMostThreads) threads_.clear();
    if (thread && name) threads_[static_cast<std::int32_t>(*thread)] = *name;
    return {};
  }
  const auto cpu = event.stream->owner;
  const auto running = static_cast<std::int32_t>(event.thread.value_or(UINT32_MAX));
  KernelEvent one{.tick = event.ticks, .running = running, .name = attribution::ShortName(name_of(running))};
  if (use == Use::waking) {
    const auto woken = number_field(event, "tid");
    if (!woken || cpu == cpu_) return {};
    one.kind = EventKind::woken_elsewhere;
    one.number = static_cast<std::int32_t>(*woken);
    one.value = cpu;
    return one;
  }
  if (!is_sent_here(event, use)) return {};
  one.kind = EventKind::ipi_sent;
  one.number = static_cast<std::int32_t>(cpu);
  one.value = number_field(event, "callsite").value_or(0);
  one.priority = number_field(event, "callback").value_or(0) != 0 ? 1 : 0;
  return one;
}

}  // namespace maxlat::trace_tools
