// SPDX-License-Identifier: MIT
//
// What a controller may ask, and the answer, as text: control_protocol.hpp without the socket.
#pragma once

#include <maxlat/trace/control_command.hpp>
#include <string_view>

namespace maxlat::trace::detail {

// THREADS: any; takes the control lock as the calls of session.hpp do.
ControlAnswer answer(std::string_view request);

}  // namespace maxlat::trace::detail
