// SPDX-License-Identifier: MIT
//
// The subcommands, in the order in which `maxlat --help` lists them.
#pragma once

#include <maxlat/core/sys/command.hpp>
#include <span>
#include <string_view>

namespace maxlat::cli {

std::span<const core::Command* const> commands();
const core::Command* find_command(std::string_view name);  // null: there is none
// Tells `maxlat run` what the commands that measure for it take. Once, before any command runs.
void announce_meters();

}  // namespace maxlat::cli
