// SPDX-License-Identifier: MIT
//
// The folder of what the processes of a user share: their control sockets and their clock. control_protocol.hpp says
// where it is.
#pragma once

#include <maxlat/base/result.hpp>

namespace maxlat::trace::detail {

// control_folder(), made where it is missing. ERRORS: it is not this user's alone.
base::Status make_control_folder();

}  // namespace maxlat::trace::detail
