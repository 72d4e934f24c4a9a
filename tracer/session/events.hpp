// SPDX-License-Identifier: MIT
//
// The events of this process: every module's, in the order of registration. REQUIRES everywhere: the control lock.
#pragma once

#include <maxlat/trace/event.hpp>
#include <string>

namespace maxlat::trace::detail {

Event* first_event();

// "PROVIDER:NAME"
std::string full_name(const EventDescription& event);

// A newly registered event, for the running sessions; session_core.cpp.
void event_appeared(Event& event);

}  // namespace maxlat::trace::detail
