// SPDX-License-Identifier: MIT
#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/process_start.hpp>
#include <string>
#include <string_view>

namespace maxlat::base {

std::uint64_t start_time_of(pid_t pid) {
  const Descriptor file(open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return 0;
  char text[1024];  // the longest line has fifty numbers and a name of 16 bytes
  const ssize_t got = read(file.number(), text, sizeof text - 1);
  if (got <= 0) return 0;
  text[got] = 0;
  // Counted from the name's last parenthesis: the name may hold anything.
  const std::size_t name_end = std::string_view(text).rfind(')');
  if (name_end == std::string_view::npos) return 0;
  std::string_view rest(text + name_end + 1);  // of each field from the third on: a blank, and it
  if (rest.starts_with(" Z") || rest.starts_with(" X")) return 0;
  for (int field = 3; field < 22; ++field) rest.remove_prefix(std::min(rest.find(' ', 1), rest.size()));
  return std::strtoull(rest.data(), nullptr, 10);
}

}  // namespace maxlat::base
