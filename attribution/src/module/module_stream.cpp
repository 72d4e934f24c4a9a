// SPDX-License-Identifier: MIT
#include "module_stream.hpp"

#include <algorithm>
#include <optional>

namespace maxlat::attribution {

void ModuleStream::take(const trace::KernelRecord& record, const ModuleEvents& decoder,
                        std::vector<KernelEvent>& events) {
  std::optional<KernelEvent> event = decoder.decode(record);
  last_tick_ = record.tick;
  if (record.lost_before != 0 || !event) add_hole(record.tick, events);
  if (!event) return;
  ++taken_;
  if (event->kind != EventKind::task_switch) event->running = running_;
  switches_.add(*event, events);
  if (event->kind == EventKind::task_switch) running_ = event->number;
}

void ModuleStream::end_of_read(uint64_t before, uint64_t lost_ahead, std::vector<KernelEvent>& events) {
  if (lost_ahead != 0) add_hole(std::max(before, last_tick_), events);
}

void ModuleStream::add_hole(uint64_t tick, std::vector<KernelEvent>& events) {
  switches_.add({.tick = tick, .kind = EventKind::hole}, events);
  running_ = KernelEvent::kUnknown;
}

}  // namespace maxlat::attribution
