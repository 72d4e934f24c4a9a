// SPDX-License-Identifier: MIT
//
// What the compiler could not refuse of a declaration: that of another language, or made by hand.
#pragma once

#include <maxlat/trace.h>

#include <string>

namespace maxlat::trace::detail {

// RETURNS: why no reader could make sense of such an event; empty: one can.
std::string wrong_with(const maxlat_trace_declaration& declaration);

}  // namespace maxlat::trace::detail
