// SPDX-License-Identifier: MIT
#include "other_cpus.hpp"

#include <algorithm>
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
  if (name == "ipi_send_cpu") return Use::send;
  if (name == "ipi_send_cpumask") return Use::send_mask;
  const TracedMeaning* const traced = meaning_in_trace(name);
  if (traced == nullptr) return Use::nothing;
  switch (traced->meaning->kind) {
    case EventKind::task_switch:
      return Use::task_switch;
    case EventKind::rename:
      return Use::rename;
    case EventKind::waking:
      return Use::waking;
    case EventKind::vector_entry:
    case EventKind::irq_entry:
      return Use::interrupt_entry;
    case EventKind::vector_exit:
    case EventKind::irq_exit:
      return Use::interrupt_exit;
    case EventKind::softirq_entry:
      return Use::softirq_entry;
    case EventKind::softirq_exit:
      return Use::softirq_exit;
    default:
      return Use::nothing;
  }
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

void OtherCpus::learn(const trace::RecordedEvent& event, std::string_view thread, std::string_view name) {
  const auto number = number_field(event, thread);
  const auto text = text_field(event, name);
  if (threads_.size() >= kMostThreads) threads_.clear();
  if (number && text) threads_[static_cast<std::int32_t>(*number)] = *text;
}

// An exit without its entry: the trace began in between, or that was lost.
void OtherCpus::follow(const trace::RecordedEvent& event, Use use) {
  Within& within = within_[event.stream->owner];
  if (event.loss != nullptr) within = {};
  switch (use) {
    case Use::task_switch:
      within = {};
      return learn(event, "next_tid", "next_comm");
    case Use::rename:
      return learn(event, "tid", "newcomm");
    case Use::interrupt_entry:
      ++within.interrupts;
      return;
    case Use::interrupt_exit:
      within.interrupts = std::max(within.interrupts - 1, 0);
      return;
    case Use::softirq_entry:
      ++within.softirqs;
      return;
    case Use::softirq_exit:
      within.softirqs = std::max(within.softirqs - 1, 0);
      return;
    default:
      return;
  }
}

std::optional<KernelEvent> OtherCpus::see(const trace::RecordedEvent& event) {
  if (by_type_.size() <= event.type->number) by_type_.resize(event.type->number + 1, Use::not_looked_up);
  Use& use = by_type_[event.type->number];
  if (use == Use::not_looked_up) use = use_of(event.type->name);
  if (use != Use::nothing || event.loss != nullptr) follow(event, use);
  return event.stream->owner == cpu_ ? std::nullopt : done_elsewhere(event, use);
}

std::optional<KernelEvent> OtherCpus::done_elsewhere(const trace::RecordedEvent& event, Use use) {
  const auto cpu = event.stream->owner;
  KernelEvent one{.tick = event.ticks};
  if (use == Use::waking) {
    const auto woken = number_field(event, "tid");
    if (!woken) return {};
    one.kind = EventKind::woken_elsewhere;
    one.number = static_cast<std::int32_t>(*woken);
    one.value = cpu;
  } else if ((use == Use::send || use == Use::send_mask) && is_sent_here(event, use)) {
    one.kind = EventKind::ipi_sent;
    one.number = static_cast<std::int32_t>(cpu);
    one.value = number_field(event, "callsite").value_or(0);
    one.priority = number_field(event, "callback").value_or(0) != 0 ? 1 : 0;
  } else {
    return {};
  }
  const Within& within = within_[cpu];
  one.running = within.interrupts > 0 ? KernelEvent::kInInterrupt
                : within.softirqs > 0 ? KernelEvent::kInSoftirq
                                      : static_cast<std::int32_t>(event.thread.value_or(UINT32_MAX));
  one.name = attribution::ShortName(name_of(one.running));
  return one;
}

}  // namespace maxlat::trace_tools
