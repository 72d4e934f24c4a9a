// SPDX-License-Identifier: MIT
//
// How LTTng's kernel tracer calls the kernel's events and their fields: the names by which Trace Compass and others
// know them. Everything that knows both is here: what is recorded by tracefs is written under these names, and what is
// read is known by them.
//
// LTTng's differ from the kernel's by a prefix of their subsystem; system calls have an event each, named after the
// call; and what the kernel calls pid is a thread, tid. Whatever no rule is about keeps its name.
#pragma once

#include <string>
#include <string_view>

namespace maxlat::attribution {

// "irq", "softirq_entry" -> "irq_softirq_entry"
std::string lttng_event_name(std::string_view system, std::string_view name);
// "sched", "next_pid" -> "next_tid"
std::string lttng_field_name(std::string_view system, std::string_view field);

}  // namespace maxlat::attribution
