// SPDX-License-Identifier: MIT
// The kinds of objects that a consumer of sessions knows.
#pragma once

#include <span>

#include "container.hpp"

namespace maxlat::trace {

std::span<const ObjectKind> session_kinds();

}  // namespace maxlat::trace
