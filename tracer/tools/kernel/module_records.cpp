// SPDX-License-Identifier: MIT
#include "module_records.hpp"

#include <array>
#include <cstring>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/attribution/lttng_names.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <string>

#include "kernel_events/wanted_events.hpp"

namespace maxlat::trace_tools {
namespace {

using attribution::KernelEvent;
using trace::KernelEventType;
using trace::KernelField;
using trace::KernelFieldKind;
using trace::KernelRecord;

trace::Field described(const KernelField& field) {
  trace::Field one{.name = field.name, .is_signed = field.kind == KernelFieldKind::number};
  if (field.kind == KernelFieldKind::text) {
    one.kind = trace::FieldKind::string;
    one.count = field.bytes;
  } else {
    one.bytes = static_cast<std::uint8_t>(field.bytes);
    one.is_hex = field.kind == KernelFieldKind::address;
  }
  return one;
}

}  // namespace

DescribedKernelEvent describe(const KernelEventType& type) {
  DescribedKernelEvent event;
  const bool is_function = type.group == kFunctionGroup;
  event.provider = is_function ? kFunctionGroup : "";
  event.name = is_function ? std::string(type.name) : attribution::lttng_event_name(type.group, type.name);
  for (const KernelField& field : type.fields) event.fields.push_back(described(field));
  return event;
}

void append_record(const KernelRecord& record, std::int32_t thread, std::vector<std::uint8_t>& payload) {
  std::array<std::uint8_t, trace::kContextSize> context{};
  std::memcpy(context.data(), &thread, sizeof thread);
  payload.insert(payload.end(), context.begin(), context.end());
  for (const KernelField& field : record.type->fields) {
    if (field.kind == KernelFieldKind::text) {
      const std::string_view text = record.text(field);
      payload.insert(payload.end(), text.begin(), text.end());
      payload.push_back(0);
    } else {
      const std::uint8_t* const from = record.payload + field.offset;
      payload.insert(payload.end(), from, from + field.bytes);
    }
  }
}

void ThreadsOfCpu::take(const KernelRecord& record, const Use& use) {
  if (record.lost_before != 0) {  // and switches may be among what is lost
    give_waiting(KernelEvent::kUnknown, use);
    running_.reset();
  }
  if (record.type->id == MAXLAT_KERNEL_sched_switch) {
    const auto fields = record.as<maxlat_kernel_sched_switch>();
    give_waiting(fields.prev_tid, use);
    use(record, fields.prev_tid);
    running_ = fields.next_tid;
    return;
  }
  if (running_) return use(record, *running_);
  if (waiting_.size() >= kMostWaiting) give_waiting(KernelEvent::kUnknown, use);
  waiting_.push_back({record, {record.payload, record.payload + record.type->bytes}});
}

void ThreadsOfCpu::finish(const Use& use) {
  give_waiting(KernelEvent::kUnknown, use);
}

void ThreadsOfCpu::give_waiting(std::int32_t thread, const Use& use) {
  for (Waiting& one : waiting_) {
    one.record.payload = one.bytes.data();
    use(one.record, thread);
  }
  waiting_.clear();
}

}  // namespace maxlat::trace_tools
