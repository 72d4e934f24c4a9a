// SPDX-License-Identifier: MIT
#include "left_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace maxlat::trace_tools {

void LeftOut::add(const std::string& name, const std::string& why) {
  std::string without_name = why;
  const std::string quoted = "\"" + name + "\"";
  if (const auto at = without_name.find(quoted); at != without_name.npos) without_name.erase(at, quoted.size());
  auto known = std::find_if(reasons_.begin(), reasons_.end(),
                            [&](const Reason& reason) { return reason.without_name == without_name; });
  if (known == reasons_.end()) known = reasons_.insert(known, {without_name, name, why});
  ++known->count;
}

std::size_t LeftOut::count() const {
  return std::accumulate(reasons_.begin(), reasons_.end(), std::size_t{0},
                         [](std::size_t sum, const Reason& reason) { return sum + reason.count; });
}

std::string LeftOut::text() const {
  std::string text;
  for (const Reason& reason : reasons_)
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : "; ", reason.why, reason.first,
                        reason.count > 1 ? fmt::format(" and {} more", reason.count - 1) : "");
  return text;
}

}  // namespace maxlat::trace_tools
