// SPDX-License-Identifier: MIT
//
// What --with-load takes: trace, trace:maxlat, or trace:all|syscalls[,size=BYTES][,count=N].
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <string_view>

namespace maxlat::npt {

struct KernelTraceSpec {
  enum class By { tracefs, module };
  // chosen: what belongs to latency, and the newest events are kept. The other two are written to a disk.
  enum class Events { chosen, all, syscalls };

  By by = By::tracefs;
  Events events = Events::chosen;
  std::uint64_t sub_buffer_bytes = 4u << 20;  // Beamonte 2015, section 6: 32 of 4 MiB, for each CPU
  std::uint64_t sub_buffers = 32;

  bool is_drained() const { return events != Events::chosen; }
};

// ERRORS: another word, an option of a load that has none, a size or a count that is no power of two in its limits.
core::Result<KernelTraceSpec> parse_kernel_trace(std::string_view text);

}  // namespace maxlat::npt
