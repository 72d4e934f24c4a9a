// SPDX-License-Identifier: MIT
#include "event_formats.hpp"

#include <event-parse.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <maxlat/core/sys/text_file.hpp>
#include <memory>

namespace maxlat::attribution {

// The fields that a KernelEvent has from it; null: none.
struct EventFormats::Row {
  const char* name;
  EventKind kind;
  const char* number = nullptr;
  const char* value = nullptr;
  const char* priority = nullptr;
  const char* text = nullptr;
  VectorUse use = VectorUse::other;
};

namespace {

uint64_t word_of(std::span<const std::byte> record, size_t offset, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, record.data() + offset, std::min(size, sizeof word));
  return word;
}

core::Error not_as_known(const std::string& event, const std::string& what) {
  return core::cannot_run(fmt::format("this kernel's event {} is not as maxlat knows it: {}", event, what));
}

}  // namespace

core::Status EventFormats::add(const std::string& events, const Row& row, tep_handle* parser) {
  const auto text = core::read_file(fmt::format("{}/{}/format", events, row.name));
  if (!text) return {};
  const std::string name = row.name;
  const size_t slash = name.find('/');
  if (tep_parse_event(parser, text->c_str(), text->size(), name.substr(0, slash).c_str()) != TEP_ERRNO__SUCCESS)
    return not_as_known(name, "its format cannot be read");
  tep_event* const event = tep_find_event_by_name(parser, name.substr(0, slash).c_str(), name.c_str() + slash + 1);
  if (event == nullptr || event->id < 0 || event->id > UINT16_MAX) return not_as_known(name, "it has no number");
  Layout layout{.kind = row.kind, .fixed_number = static_cast<int32_t>(row.use)};
  const std::pair<const char*, Place*> fields[] = {{row.number, &layout.number},
                                                   {row.value, &layout.value},
                                                   {row.priority, &layout.priority},
                                                   {row.text, &layout.text},
                                                   {"common_pid", &layout.running}};
  for (const auto& [field_name, place] : fields) {
    if (field_name == nullptr) continue;
    const tep_format_field* const field = tep_find_any_field(event, field_name);
    if (field == nullptr || field->offset < 0 || field->size <= 0 || field->offset + field->size > UINT16_MAX)
      return not_as_known(name, fmt::format("no field {}", field_name));
    *place = {static_cast<uint16_t>(field->offset), static_cast<uint16_t>(field->size)};
    if (place == &layout.text) layout.text_is_elsewhere = (field->flags & TEP_FIELD_IS_DYNAMIC) != 0;
  }
  const auto id = static_cast<size_t>(event->id);
  if (by_number_.size() <= id) by_number_.resize(id + 1);
  by_number_[id] = layout;
  names_.push_back(name);
  return {};
}

core::Result<EventFormats> EventFormats::read(const std::string& events) {
  static constexpr Row kRows[] = {
      {"sched/sched_switch", EventKind::task_switch, "next_pid", nullptr, "next_prio", "next_comm"},
      {"sched/sched_waking", EventKind::waking, "pid", nullptr, "prio", "comm"},
      {"irq/irq_handler_entry", EventKind::irq_entry, "irq", nullptr, nullptr, "name"},
      {"irq/irq_handler_exit", EventKind::irq_exit, "irq"},
      {"irq/softirq_entry", EventKind::softirq_entry, "vec"},
      {"irq/softirq_exit", EventKind::softirq_exit, "vec"},
      {"timer/hrtimer_expire_entry", EventKind::hrtimer_entry, nullptr, "function"},
      {"timer/hrtimer_expire_exit", EventKind::hrtimer_exit},
      {"timer/timer_expire_entry", EventKind::timer_entry, nullptr, "function"},
      {"timer/timer_expire_exit", EventKind::timer_exit},
      {"workqueue/workqueue_execute_start", EventKind::work_start, nullptr, "function"},
      {"workqueue/workqueue_execute_end", EventKind::work_end},
      {"exceptions/page_fault_user", EventKind::page_fault},
      {"exceptions/page_fault_kernel", EventKind::page_fault},
      {"nmi/nmi_handler", EventKind::nmi, nullptr, "delta_ns"},
  };
  static constexpr std::pair<const char*, VectorUse> kVectors[] = {
      {"local_timer", VectorUse::local_timer},     {"reschedule", VectorUse::reschedule},
      {"call_function", VectorUse::call_function}, {"call_function_single", VectorUse::call_function_single},
      {"irq_work", VectorUse::irq_work},           {"x86_platform_ipi", VectorUse::other},
      {"thermal_apic", VectorUse::other},          {"threshold_apic", VectorUse::other},
      {"deferred_error_apic", VectorUse::other},   {"error_apic", VectorUse::other},
      {"spurious_apic", VectorUse::other},
  };
  tep_set_loglevel(TEP_LOG_NONE);  // of what it cannot print, which nobody asks it to
  const std::unique_ptr<tep_handle, decltype(&tep_free)> tep(tep_alloc(), &tep_free);
  if (!tep) return core::Error{"no memory for the formats of the kernel's events"};
  EventFormats formats;
  for (const Row& row : kRows)
    if (core::Status added = formats.add(events, row, tep.get()); !added) return added.error();
  if (formats.names_.empty() || formats.names_.front() != kRows[0].name)
    return core::cannot_run("this kernel has no event sched_switch (CONFIG_FTRACE)");
  for (const auto& [vector, use] : kVectors) {
    const std::string entry = fmt::format("irq_vectors/{}_entry", vector),
                      exit = fmt::format("irq_vectors/{}_exit", vector);
    Row row{entry.c_str(), EventKind::vector_entry};
    row.use = use;
    if (core::Status added = formats.add(events, row, tep.get()); !added) return added.error();
    row.name = exit.c_str();
    row.kind = EventKind::vector_exit;
    if (core::Status added = formats.add(events, row, tep.get()); !added) return added.error();
  }
  return formats;
}

std::optional<KernelEvent> EventFormats::decode(uint64_t tick, std::span<const std::byte> record) const {
  if (record.size() < 2) return {};
  const uint64_t id = word_of(record, 0, 2);
  if (id >= by_number_.size() || by_number_[id].kind == EventKind::hole) return {};
  const Layout& layout = by_number_[id];
  for (const Place& place : {layout.number, layout.value, layout.priority, layout.text, layout.running})
    if (size_t{place.offset} + place.size > record.size()) return {};
  KernelEvent event{.tick = tick, .number = layout.fixed_number, .kind = layout.kind};
  if (layout.number.size > 0)
    event.number = static_cast<int32_t>(word_of(record, layout.number.offset, layout.number.size));
  event.value = word_of(record, layout.value.offset, layout.value.size);
  event.priority = static_cast<int32_t>(word_of(record, layout.priority.offset, layout.priority.size));
  event.running = static_cast<int32_t>(word_of(record, layout.running.offset, layout.running.size));
  if (layout.text.size == 0) return event;
  size_t offset = layout.text.offset, length = layout.text.size;
  if (layout.text_is_elsewhere) {
    const uint64_t where = word_of(record, offset, 4);
    offset = where & 0xffff;
    length = where >> 16;
    if (offset + length > record.size()) return {};
  }
  event.name = ShortName({reinterpret_cast<const char*>(record.data()) + offset, length});
  return event;
}

}  // namespace maxlat::attribution
