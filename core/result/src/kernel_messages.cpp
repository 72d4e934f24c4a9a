// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/result/kernel_messages.hpp>

#include "run_names.hpp"

namespace maxlat::core {

const char* to_string(KernelMessage::Level level) {
  return name_of(level);
}

const KernelMessage* KernelMessages::worst() const {
  const auto found = std::min_element(kept.begin(), kept.end(),
                                      [](const auto& one, const auto& other) { return one.level < other.level; });
  return found == kept.end() ? nullptr : &*found;
}

std::string to_string(const KernelMessages& messages) {
  const KernelMessage& worst = *messages.worst();
  const char* relation = messages.count > 1 ? "messages meanwhile, the worst" : "message meanwhile";
  return fmt::format("the kernel logged {} {} ({}): [{:.6f}] {}", messages.count, relation, to_string(worst.level),
                     worst.uptime_s, worst.text);
}

}  // namespace maxlat::core
