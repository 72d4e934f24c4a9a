// SPDX-License-Identifier: MIT
//
// The subcommands of `maxlat trace`, one a file: trace_<name>.cpp. Each gets the words behind its name, has a --help of
// its own, and is a row of the table in trace_command.cpp.
#pragma once

#include <maxlat/core/sys/command.hpp>

namespace maxlat::trace_tools {

core::Result<core::Exit> trace_list(const core::Arguments& arguments);
core::Result<core::Exit> trace_record(const core::Arguments& arguments);
core::Result<core::Exit> trace_snapshot(const core::Arguments& arguments);
core::Result<core::Exit> trace_start(const core::Arguments& arguments);
core::Result<core::Exit> trace_stop(const core::Arguments& arguments);
core::Result<core::Exit> trace_enable(const core::Arguments& arguments);
core::Result<core::Exit> trace_disable(const core::Arguments& arguments);
core::Result<core::Exit> trace_print(const core::Arguments& arguments);
core::Result<core::Exit> trace_stats(const core::Arguments& arguments);
core::Result<core::Exit> trace_explain(const core::Arguments& arguments);
core::Result<core::Exit> trace_check(const core::Arguments& arguments);

}  // namespace maxlat::trace_tools
