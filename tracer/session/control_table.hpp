// SPDX-License-Identifier: MIT
//
// All requests that are answered: the tracer's own, then those that were added (control_command.hpp).
#pragma once

#include <maxlat/trace/control_command.hpp>
#include <string_view>
#include <vector>

namespace maxlat::trace::detail {

// THREADS: any. Null: there is none of that name.
const ControlCommand* find_control_command(std::string_view name);
// In the order of the table, then of adding.
std::vector<const ControlCommand*> control_commands();

}  // namespace maxlat::trace::detail
