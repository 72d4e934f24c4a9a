// SPDX-License-Identifier: MIT
#include <cctype>
#include <maxlat/base/result.hpp>
#include <system_error>

namespace maxlat::base {

// generic_category() rather than strerror(): safe among threads. The message continues our line, so it starts small
// ("operation not permitted"), except where it starts with an abbreviation ("RPC struct is bad").
Error system_error(std::string what, int errno_value, std::string hint) {
  std::string message = std::generic_category().message(errno_value);
  const bool abbreviation = message.size() > 1 && std::isupper(static_cast<unsigned char>(message[1]));
  if (!message.empty() && !abbreviation)
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  return Error{std::move(what) + ": " + message, std::move(hint)};
}

}  // namespace maxlat::base
