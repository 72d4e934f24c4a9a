// SPDX-License-Identifier: MIT
//
// What the kernel itself had to say in some time (its log, as dmesg shows it; what programs write there is left out).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace maxlat::core {

struct KernelMessage {
  // The kernel's own, the worst first.
  enum class Level { emergency, alert, critical, error, warning, notice, info, debug } level = Level::info;
  double uptime_s = 0;  // since boot, by the clock that dmesg shows
  std::string text;
};
const char* to_string(KernelMessage::Level level);  // as in the file

struct KernelMessages {
  static constexpr size_t kMostKept = 20;

  uint64_t count = 0;               // of all
  uint64_t overwritten = 0;         // more than the kernel keeps came at once: so many at least are not known
  std::vector<KernelMessage> kept;  // kMostKept at most, in the order of time; where there were more, the worst of them

  const KernelMessage* worst() const;  // the first of the worst; nullptr: none
};

// "the kernel logged 3 messages meanwhile, the worst (warning): [4711.250000] clocksource: ...". REQUIRES: one is kept.
std::string to_string(const KernelMessages& messages);

}  // namespace maxlat::core
