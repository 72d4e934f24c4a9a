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

OtherCpus::SentHere OtherCpus::is_sent_here(const trace::RecordedEvent& event, Sends how) const {
  if (how == Sends::to_one) return number_field(event, "cpu") == cpu_ ? SentHere::yes : SentHere::no;
  constexpr unsigned kListed = 64;  // by our module, which tells of the others only whether there are any
  SentHere here = SentHere::no;
  trace::FieldValues values(event.type->fields, event.payload);
  for (trace::FieldValue value; values.next(value);) {
    if ((value.field->name == "cpus" || value.field->name == "cpumask") && has_bit(value, cpu_)) return SentHere::yes;
    if (value.field->name == "above_63" && cpu_ >= kListed && value.unsigned_at(0) != 0) here = SentHere::unknown;
  }
  return here;
}

std::string_view OtherCpus::name_of(std::int32_t thread) const {
  if (const auto known = threads_.find(thread); known != threads_.end()) return known->second;
  const auto dumped = names_.threads.find(thread);
  return dumped == names_.threads.end() ? std::string_view("(unknown)") : dumped->second;
}

// An exit without its entry: the trace began in between, or that was lost.
void OtherCpus::follow(const KernelEvent& event, Within& within) {
  switch (event.kind) {
    case EventKind::task_switch:
      within = {};
      [[fallthrough]];
    case EventKind::rename:
      if (threads_.size() >= kMostThreads) threads_.clear();
      threads_[event.number] = event.name.text();
      return;
    case EventKind::vector_entry:
    case EventKind::irq_entry:
      ++within.interrupts;
      return;
    case EventKind::vector_exit:
    case EventKind::irq_exit:
      within.interrupts = std::max(within.interrupts - 1, 0);
      return;
    case EventKind::softirq_entry:
      ++within.softirqs;
      return;
    case EventKind::softirq_exit:
      within.softirqs = std::max(within.softirqs - 1, 0);
      return;
    default:
      return;
  }
}

std::optional<KernelEvent> OtherCpus::sent_by(const trace::RecordedEvent& event) {
  if (by_type_.size() <= event.type->number) by_type_.resize(event.type->number + 1, Sends::not_looked_up);
  Sends& how = by_type_[event.type->number];
  if (how == Sends::not_looked_up)
    how = event.type->name == "ipi_send_cpu"       ? Sends::to_one
          : event.type->name == "ipi_send_cpumask" ? Sends::to_many
                                                   : Sends::no;
  const SentHere here = how == Sends::no ? SentHere::no : is_sent_here(event, how);
  if (here == SentHere::no) return {};
  // Who sent one before did not send the next that comes.
  if (here == SentHere::unknown) return KernelEvent{.kind = EventKind::lost_elsewhere};
  return KernelEvent{.value = number_field(event, "callsite").value_or(0),
                     .number = static_cast<std::int32_t>(event.stream->owner),
                     .priority = number_field(event, "callback").value_or(0) != 0 ? 1 : 0,
                     .kind = EventKind::ipi_sent};
}

std::optional<KernelEvent> OtherCpus::see(const trace::RecordedEvent& event,
                                          const std::optional<KernelEvent>& decoded) {
  const std::uint32_t cpu = event.stream->owner;
  Within& within = within_[cpu];
  if (event.loss != nullptr) within = {};
  if (decoded) follow(*decoded, within);
  if (cpu == cpu_) return {};
  std::optional<KernelEvent> one;
  if (!decoded)
    one = sent_by(event);
  else if (decoded->kind == EventKind::waking)
    one = KernelEvent{.value = cpu, .number = decoded->number, .kind = EventKind::woken_elsewhere};
  if (!one) return {};
  one->tick = event.ticks;
  one->running = within.interrupts > 0 ? KernelEvent::kInInterrupt
                 : within.softirqs > 0 ? KernelEvent::kInSoftirq
                 : event.thread        ? static_cast<std::int32_t>(*event.thread)
                                       : KernelEvent::kUnknown;
  one->name = attribution::ShortName(name_of(one->running));
  return one;
}

}  // namespace maxlat::trace_tools
