// SPDX-License-Identifier: MIT
//
// Changes of kind `slices` (change.hpp), of several of systemd's units at once, for a few calls of systemctl.
#pragma once

#include <span>
#include <vector>

#include "change.hpp"

namespace maxlat::shield {

std::vector<Standing> slices_standings(std::span<const Change> changes, const Surface& surface);
std::vector<core::Status> slices_apply(std::span<const Change> changes, Surface& surface);
std::vector<core::Status> slices_undo(std::span<const Change> changes, Surface& surface);

}  // namespace maxlat::shield
