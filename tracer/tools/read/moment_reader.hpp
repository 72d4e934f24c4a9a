// SPDX-License-Identifier: MIT
//
// A point in time as the user writes it, for --begin, --end, --from and --to:
//
//   +1.5s                      from the first event of the trace
//   12:53:05.25                of the first event's day, local time
//   2026-11-24T12:53:05.25     local time; a space may stand for the T, and minutes and seconds may be left out from
//                              the end: 2026-11-24T12:53, and 2026-11-24 for the midnight that begins it
//   2026-11-24T12:53:05Z       universal time; or any other, +01:00
//   1700000000.25              seconds since 1970
#pragma once

#include <cstdint>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>

namespace maxlat::trace_tools {

// RETURNS: nanoseconds since 1970. A time beyond what 64 bits of them can say is the last that they can say: it is
// beyond every event, too. ERRORS: no time, a day or an hour that there is not.
core::Result<std::int64_t> parse_moment(std::string_view text, std::int64_t first_ns);

// The value of the option --NAME, which is given; its name stands in the error.
core::Result<std::int64_t> moment_option(const core::CommandLine& line, const std::string& name, std::int64_t first_ns);

}  // namespace maxlat::trace_tools
