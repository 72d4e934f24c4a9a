// SPDX-License-Identifier: MIT
#include "kernel_trace_spec.hpp"

#include <fmt/format.h>

#include <maxlat/npt/arm_spec.hpp>

namespace maxlat::npt {
namespace {

constexpr const char* kLoads =
    "trace, trace:maxlat, trace:all or trace:syscalls; the last two have size=BYTES and count=N";
constexpr std::uint64_t kSmallestSize = 4096, kLargestSize = 1u << 30, kFewest = 2, kMost = 1024;
constexpr std::uint64_t kLargestBuffer = 1ull << 30;  // of a CPU: no box has that for many

core::Status read_option(std::string_view word, KernelTraceSpec& spec) {
  const bool of_size = word.starts_with("size="), of_count = word.starts_with("count=");
  if (!spec.is_drained() || (!of_size && !of_count))
    return core::Error{fmt::format("--with-load: there is no option \"{}\" of this load", word), kLoads};
  const auto value = power_of_two(word.substr(word.find('=') + 1));
  const std::uint64_t least = of_size ? kSmallestSize : kFewest, most = of_size ? kLargestSize : kMost;
  if (!value || *value < least || *value > most)
    return core::Error{
        fmt::format("--with-load: \"{}\" is no power of two from {} to {}", word, size_text(least), size_text(most)),
        of_size ? "as size=64k or size=4M" : "as count=32"};
  (of_size ? spec.sub_buffer_bytes : spec.sub_buffers) = *value;
  return {};
}

}  // namespace

core::Result<KernelTraceSpec> parse_kernel_trace(std::string_view text) {
  const std::string_view load = text.substr(0, text.find(','));
  KernelTraceSpec spec;
  if (load == "trace:maxlat")
    spec.by = KernelTraceSpec::By::module;
  else if (load == "trace:all")
    spec.events = KernelTraceSpec::Events::all;
  else if (load == "trace:syscalls")
    spec.events = KernelTraceSpec::Events::syscalls;
  else if (load != "trace")
    return core::Error{fmt::format("--with-load: there is no load \"{}\"", load), kLoads};
  for (std::string_view rest = text.substr(load.size()); !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(word.size());
    if (core::Status status = read_option(word, spec); !status) return status.error();
  }
  if (spec.sub_buffer_bytes * spec.sub_buffers > kLargestBuffer)
    return core::Error{fmt::format("--with-load: {} sub-buffers of {} are more than 1G for each CPU", spec.sub_buffers,
                                   size_text(spec.sub_buffer_bytes)),
                       "as size=4M,count=32"};
  return spec;
}

}  // namespace maxlat::npt
