// SPDX-License-Identifier: MIT
//
// npt's tracepoints as events of our own tracer, for the arms that trace them and for those that list them.
#pragma once

#include <cstdint>
#include <maxlat/trace/event.hpp>
#include <maxlat/trace/probe.hpp>

MAXLAT_TRACE_EVENT(npt, start)
MAXLAT_TRACE_EVENT(npt, loop, (std::uint64_t, count), (std::uint64_t, ticks), (double, duration))
MAXLAT_TRACE_EVENT(npt, stop)
