// SPDX-License-Identifier: MIT
//
// The control thread and its sockets. One a process; its end is the process's, or close_control().
#pragma once

#include <maxlat/base/result.hpp>
#include <string>

namespace maxlat::trace::detail {

// What MAXLAT_TRACE_CONTROL asks for, done: see control_protocol.hpp. With connect:PATH this returns when the
// controller has said `resume`, is gone, or has let MAXLAT_TRACE_WAIT pass (10 s): then it may still record. Something
// that does not work is one line on stderr, and the program goes on. Called by a constructor of this library
// (events.cpp).
void serve_environment();

// Connects to a controller and serves it. RETURNS: as above; ERRORS: cannot be reached, or did not answer.
base::Status call_home(const std::string& path);

}  // namespace maxlat::trace::detail
