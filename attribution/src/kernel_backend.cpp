// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/attribution/kernel_backend.hpp>

namespace maxlat::attribution {

core::Result<std::string> kernel_events_option(const core::CommandLine& line) {
  if (!line.has("kernel-events")) return std::string();
  const auto word = line.get<std::string>("kernel-events");
  if (word == kModuleBackend || word == kTracefsBackend || word == kAnyBackend) return word;
  return core::Error{fmt::format("--kernel-events: \"{}\" records no kernel events", word),
                     fmt::format("{}: maxlat_trace.ko, where it is loaded; {}: the kernel's own trace buffers; {}: the "
                                 "first that can",
                                 kModuleBackend, kTracefsBackend, kAnyBackend)};
}

}  // namespace maxlat::attribution
