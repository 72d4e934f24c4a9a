// SPDX-License-Identifier: MIT
#include "module_events.hpp"

#include <algorithm>
#include <maxlat/attribution/lttng_names.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace maxlat::attribution {
namespace {

const EventMeaning* meaning_of(const trace::KernelEventType& type) {
  const std::string name = std::string(type.group) + "/" + std::string(type.name);
  const auto& all = event_meanings();
  const auto found = std::find_if(all.begin(), all.end(), [&](const EventMeaning& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const trace::KernelField* field_of(const trace::KernelEventType& type, const char* kernels_name) {
  if (kernels_name == nullptr) return nullptr;
  const std::string name = lttng_field_name(type.group, kernels_name);
  const auto found = std::find_if(type.fields.begin(), type.fields.end(),
                                  [&](const trace::KernelField& field) { return field.name == name; });
  return found == type.fields.end() ? nullptr : &*found;
}

int32_t lateness_of(const trace::KernelRecord& record) {
  if (record.type->id != MAXLAT_KERNEL_hrtimer_expire_entry) return KernelEvent::kNoLateness;
  const int64_t lateness_ns = record.as<maxlat_kernel_hrtimer_expire_entry>().lateness_ns;
  return static_cast<int32_t>(std::clamp<int64_t>(lateness_ns, -INT32_MAX, INT32_MAX));
}

}  // namespace

ModuleEvents::ModuleEvents() : by_id_(trace::kernel_event_types().size() + 1) {
  for (const trace::KernelEventType& type : trace::kernel_event_types())
    if (const EventMeaning* const meaning = meaning_of(type))
      by_id_[type.id] = {meaning, field_of(type, meaning->number), field_of(type, meaning->value),
                         field_of(type, meaning->priority), field_of(type, meaning->text)};
}

uint64_t ModuleEvents::wanted() {
  uint64_t events = 0;
  for (const trace::KernelEventType& type : trace::kernel_event_types())
    if (meaning_of(type) != nullptr) events |= type.bit();
  return events;
}

std::optional<KernelEvent> ModuleEvents::decode(const trace::KernelRecord& record) const {
  const Layout& layout = by_id_[record.type->id];
  if (layout.meaning == nullptr) return {};
  const auto number_in = [&](const trace::KernelField* field, int64_t otherwise) {
    return field == nullptr ? otherwise : record.number(*field);
  };
  const bool is_switch = layout.meaning->kind == EventKind::task_switch;
  const int64_t left_as = is_switch ? record.as<maxlat_kernel_sched_switch>().prev_state : 0;
  return KernelEvent{
      .tick = record.tick,
      .value = static_cast<uint64_t>(number_in(layout.value, left_as)),
      .number = static_cast<int32_t>(number_in(layout.number, static_cast<int64_t>(layout.meaning->use))),
      .priority = static_cast<int32_t>(number_in(layout.priority, 0)),
      .running = is_switch ? record.as<maxlat_kernel_sched_switch>().prev_tid : KernelEvent::kUnknown,
      .lateness_ns = lateness_of(record),
      .kind = layout.meaning->kind,
      .name = layout.text == nullptr ? ShortName() : ShortName(record.text(*layout.text))};
}

}  // namespace maxlat::attribution
