// SPDX-License-Identifier: MIT
#include "session/events.hpp"

#include <maxlat/ring/record_write.h>

#include <cstdio>
#include <functional>
#include <map>
#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/other_channel.hpp>

#include "session/control_lock.hpp"
#include "session/control_server.hpp"

namespace maxlat::trace {
namespace detail {
namespace {

constinit Event* first = nullptr;
constinit Event* last = nullptr;
constinit std::uint32_t last_id = 0;

// Ids of events whose modules are gone, by their metadata: the same event takes the same id when it comes back, or a
// plug-in that is loaded again and again would use up the short ids, and the metadata would grow each time. Never
// destroyed: events go until the very end of the program.
using Ids = std::multimap<std::string, std::uint32_t, std::less<>>;
Ids& free_ids() {
  static Ids& ids = *new Ids;
  return ids;
}

std::string identity(const Event& event) {
  return metadata_of_event(0, 0, *event.description);
}

std::uint32_t take_id(const Event& event) {
  Ids& ids = free_ids();
  if (ids.empty()) return ++last_id;
  const auto found = ids.find(identity(event));
  if (found == ids.end()) return ++last_id;
  const std::uint32_t id = found->second;
  ids.erase(found);
  return id;
}

// Here, because a program with events links this file: the library's own constructor, which a static link puts behind
// those of the program, so that its events are all registered by now.
[[gnu::constructor]] void serve_environment_before_main() {
  serve_environment();
}

}  // namespace

Event* first_event() {
  return first;
}

void lead_nowhere(Event& event) {
  event.place.store(0, std::memory_order_relaxed);  // relaxed, all: nobody else looks
  event.place_with_cpu.store(0, std::memory_order_relaxed);
  event.cpu_rings.store(no_cpu_rings, std::memory_order_relaxed);
  event.wanted.store(0, std::memory_order_relaxed);
}

namespace {

void take_out(Event& event) {
  if (event.id == 0) return;
  lead_nowhere(event);
  (event.previous != nullptr ? event.previous->next : first) = event.next;
  (event.next != nullptr ? event.next->previous : last) = event.previous;
  event.id = 0;
}

}  // namespace

std::string full_name(const EventDescription& event) {
  return std::string(event.provider) + ':' + std::string(event.name);
}

}  // namespace detail

Registration::Registration(Event& event, std::uint64_t declared, const char* name) {
  const detail::ControlLock lock;
  if (event.contradicted) return;
  if (declared != event.declared) {
    event.contradicted = true;
    detail::take_out(event);
    const std::string kept = detail::full_name(*event.description);
    if (name == nullptr || name == kept) {
      std::fprintf(stderr, "maxlat: the event %s is declared differently in two source files; it stays disabled\n",
                   kept.c_str());
    } else {
      std::fprintf(stderr, "maxlat: the events %s and %s are one to the linker; both stay disabled: rename one\n",
                   kept.c_str(), name);
    }
    return;
  }
  if (event.id != 0) return;
  event.id = detail::take_id(event);
  event.kind = maxlat_ring_record_kind(event.id, event.fixed_size != 0 || event.description->fields.empty()
                                                     ? maxlat_ring_record_size(event.fixed_size)
                                                     : 0);
  event.previous = detail::last;
  event.next = nullptr;
  (detail::last != nullptr ? detail::last->next : detail::first) = &event;
  detail::last = &event;
  detail::event_appeared(event);
}

// The module's code goes away with its events: nobody can be in their probes.
void unregister(Event& event) {
  const detail::ControlLock lock;
  const std::uint32_t id = event.id;
  detail::take_out(event);
  if (id != 0) detail::free_ids().emplace(detail::identity(event), id);
}

}  // namespace maxlat::trace
