// SPDX-License-Identifier: MIT
//
// Who records the kernel's events: the words of `trace record --kernel` and of the meters' --kernel-events.
#pragma once

#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>

namespace maxlat::attribution {

inline constexpr const char* kModuleBackend = "module";    // maxlat_trace.ko, where it is loaded
inline constexpr const char* kTracefsBackend = "tracefs";  // the kernel's own trace buffers, in an instance of ours
inline constexpr const char* kAnyBackend = "auto";         // the first that can

// Whether threads have the same numbers here as in the kernel's events: not in a container with a PID namespace of its
// own. `root` is "/" in life. ERRORS: they have others (Exit::cannot_run).
core::Status numbers_are_the_kernels(const std::string& root);

// Of kAnyBackend, which takes another where our module does not record: "not by the module: WHY", for a person. "": it
// is not loaded, and nobody expects it. `root` is "/" in life.
std::string module_passed_over(const std::string& root, const core::Error& why);

// What a meter's --kernel-events[=BACKEND] was given; "": nothing. ERRORS: another word than these.
core::Result<std::string> kernel_events_option(const core::CommandLine& line);

// Why the module does not record: `error`; where it is not loaded and the kernel is locked down, with the reason for
// which it cannot be loaded either.
core::Error module_not_there(core::Error error, const std::string& root = "/");

}  // namespace maxlat::attribution
