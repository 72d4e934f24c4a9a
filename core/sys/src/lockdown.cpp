// SPDX-License-Identifier: MIT
#include <maxlat/core/sys/lockdown.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <string_view>

namespace maxlat::core {

std::string lockdown_in_force(const std::string& root) {
  const std::string states = read_file(root + "/sys/kernel/security/lockdown").value_or("");
  const std::string_view state = selected_word(states);
  return state == "none" ? std::string() : std::string(state);
}

}  // namespace maxlat::core
