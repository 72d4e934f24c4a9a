// SPDX-License-Identifier: MIT
//
// Results are passed on, so what identifies a person's machine does not belong in them. It is replaced visibly.
#pragma once

#include <maxlat/core/machine/settings.hpp>
#include <string>
#include <string_view>

namespace maxlat::core {

inline constexpr std::string_view kRedacted = "redacted";

// UUIDs, MAC and IP addresses (of both versions), and the host name where it stands as a word, each become "redacted".
std::string redact(std::string_view text, std::string_view host_name);

// The host's name where it is private: names like "localhost" stand in texts that are not about this machine.
std::string private_host_name(const MachineView& machine);

}  // namespace maxlat::core
