// SPDX-License-Identifier: MIT
//
// The control thread and its sockets. One a process; its end is the process's, or close_control().
#pragma once

#include <maxlat/base/result.hpp>
#include <string>

namespace maxlat::trace::detail {

// What MAXLAT_TRACE_CONTROL asks for, done: see control_protocol.hpp. With connect:PATH this returns when the
// controller has said `resume`, or is gone. Something that does not work is one line on stderr, and the program goes
// on. Called by a constructor of this library (events.cpp).
void serve_environment();

// Connects to a controller and serves it. RETURNS: when it has said `resume`, or is gone.
base::Status call_home(const std::string& path);

}  // namespace maxlat::trace::detail
