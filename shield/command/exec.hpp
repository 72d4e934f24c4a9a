// SPDX-License-Identifier: MIT
//
// A command inside the shield: it is in the shield's cpuset, or bound to its CPUs, before its first instruction, and so
// is everything that it starts.
#pragma once

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

#include "change/surface.hpp"

namespace maxlat::shield {

// The path of the program. ERRORS: there is none (exit status 127), or it cannot be executed (126), as of a shell.
core::Result<std::string> program_of(const std::string& name);

// Runs the command with our standard streams and waits for it. SIGTERM and SIGHUP go on to it; SIGINT of a terminal
// reaches it by itself. Its exit status, 128 + N when signal N killed it. ERRORS: not found; the shield does not take
// it.
core::Result<int> run_inside(const std::vector<std::string>& command, const core::CpuList& cpus,
                             const Surface& surface);

}  // namespace maxlat::shield
