// SPDX-License-Identifier: MIT
//
// The events of this process: every module's, in the order of registration. REQUIRES everywhere: the control lock.
#pragma once

#include <maxlat/trace/event.hpp>
#include <string>

namespace maxlat::trace::detail {

Event* first_event();

// Probes of the event that are under way find no ring, and no new ones begin. REQUIRES: one thread in the world, or
// nobody in its probes.
void lead_nowhere(Event& event);

// "PROVIDER:NAME"
std::string full_name(const EventDescription& event);

// A newly registered event, for the running sessions; session_core.cpp.
void event_appeared(Event& event);

}  // namespace maxlat::trace::detail
