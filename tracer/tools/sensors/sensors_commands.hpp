// SPDX-License-Identifier: MIT
//
// The subcommands of `maxlat sensors`, one a file, and a row each in sensors_command.cpp.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::trace_tools {

core::Result<core::Exit> sensors_list(const core::Arguments& arguments);
core::Result<core::Exit> sensors_get(const core::Arguments& arguments);
core::Result<core::Exit> sensors_watch(const core::Arguments& arguments);
core::Result<core::Exit> sensors_record(const core::Arguments& arguments);
core::Result<core::Exit> sensors_stats(const core::Arguments& arguments);
core::Result<core::Exit> sensors_check(const core::Arguments& arguments);
core::Result<core::Exit> sensors_export(const core::Arguments& arguments);
core::Result<core::Exit> sensors_directory(const core::Arguments& arguments);

}  // namespace maxlat::trace_tools
