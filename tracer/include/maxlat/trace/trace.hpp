// SPDX-License-Identifier: MIT
//
// The embedded tracer, all of it. Start here:
//
//   event.hpp     MAXLAT_TRACE_EVENT(motor, step, (std::uint32_t, axis), (double, position_mm))  at namespace scope
//   probe.hpp     MAXLAT_TRACE(motor, step, axis, position);                                     anywhere
//   scope.hpp     MAXLAT_TRACE_SCOPE(motor, homing, axis);                                       where a block begins
//   thread.hpp    prepare_thread() before the real-time part, flush() before a long sleep
//   session.hpp   Session: record from inside the program
//   control.hpp   open_control(): let `maxlat trace` do it from outside
//
// A file that only declares or traces events needs the first two. C, and C++ before C++20: <maxlat/trace.h>.
#pragma once

#include <maxlat/trace/control.hpp>
#include <maxlat/trace/event.hpp>
#include <maxlat/trace/probe.hpp>
#include <maxlat/trace/scope.hpp>
#include <maxlat/trace/session.hpp>
#include <maxlat/trace/thread.hpp>
