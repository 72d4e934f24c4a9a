// SPDX-License-Identifier: MIT
//
// Which of the patterns of `-e` are about the kernel's events. A program's events and the kernel's are both called
// PROVIDER:NAME, so it is what our module and this kernel have that decides: a pattern is the kernel's when the
// module's table has such events, or its provider is the name of a subsystem that has them, `kprobe`, of its functions,
// or `machine`, of our module's counts. A provider that is `*` alone is that of programs.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct SplitPatterns {
  std::vector<std::string> kernel, programs;
};

// `root` is "/" in life. ERRORS: of a pattern that is not in the table, no tracefs (Exit::cannot_run); an event that a
// subsystem of this kernel does not have.
core::Result<SplitPatterns> split_patterns(const std::vector<std::string>& patterns, const std::string& root = "/");

// What is recorded of the kernel when no pattern is about it: what the accounting of a CPU's time needs
// (docs/who-did-it.md), and what Trace Compass draws. The module has each of them in its table; a kernel lacks some
// (ipi_send_* before Linux 6.4), and tracefs machine_counts.
const std::vector<std::string>& default_kernel_patterns();

}  // namespace maxlat::trace_tools
