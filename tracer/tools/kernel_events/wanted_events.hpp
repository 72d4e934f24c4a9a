// SPDX-License-Identifier: MIT
//
// Which events patterns of `-e` mean for maxlat_trace.ko: those of its table (kernel_events.h), any other tracepoint of
// this kernel and of loaded modules, and functions: of these the arguments as they are handed over.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/kernel/kernel_session.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

// What stands before a function's symbol in a pattern: "kprobe:do_nanosleep". No subsystem of the kernel is called so.
inline constexpr const char* kFunctionGroup = "kprobe";
bool is_function_pattern(const std::string& pattern);

struct WantedKernelEvents {
  std::uint64_t table = 0;  // a bit each
  std::vector<trace::KernelRawEvent> raw{};
  std::string left_out{};            // a line about what a pattern names and cannot be recorded; empty: nothing
  std::vector<std::string> notes{};  // for a person: what is recorded and may not be what was meant
};

// `known`: of the table, those that the kernel has. `root` is "/" in life. ERRORS: a pattern that means none, and why;
// one of a function that has * or ?, or that the kernel lacks, where /proc/kallsyms tells.
core::Result<WantedKernelEvents> wanted_kernel_events(const std::vector<std::string>& patterns, std::uint64_t known,
                                                      const std::string& root = "/");

}  // namespace maxlat::trace_tools
