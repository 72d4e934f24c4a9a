// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <maxlat/trace/kernel/kernel_abi.h>

#include <filesystem>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/core/sys/lockdown.hpp>

namespace maxlat::attribution {
namespace {

bool module_is_loaded(const std::string& root) {
  std::error_code unknown;
  return std::filesystem::exists(root + MAXLAT_TRACE_DEVICE, unknown);
}

}  // namespace

core::Status numbers_are_the_kernels(const std::string& root) {
  constexpr const char* kNumbersOfTheKernel = "pid:[4026531836]";  // include/linux/proc_ns.h, PROC_PID_INIT_INO
  std::error_code unknown;
  const std::string numbers = std::filesystem::read_symlink(root + "/proc/self/ns/pid", unknown);
  if (unknown || numbers == kNumbersOfTheKernel) return {};
  return core::cannot_run("this is a container with process numbers of its own, and the kernel's events have others",
                          "run it outside, or in the host's PID namespace");
}

std::string module_passed_over(const std::string& root, const core::Error& why) {
  if (!module_is_loaded(root)) return {};
  return fmt::format("not by the {}: {}", kModuleBackend, why.text);
}

core::Result<std::string> kernel_events_option(const core::CommandLine& line) {
  if (!line.has("kernel-events")) return std::string();
  const auto word = line.get<std::string>("kernel-events");
  if (word == kModuleBackend || word == kTracefsBackend || word == kAnyBackend) return word;
  return core::Error{fmt::format("--kernel-events: \"{}\" records no kernel events", word),
                     fmt::format("{}: maxlat_trace.ko, where it is loaded; {}: the kernel's own trace buffers; {}: the "
                                 "first that can",
                                 kModuleBackend, kTracefsBackend, kAnyBackend)};
}

core::Error module_not_there(core::Error error, const std::string& root) {
  if (module_is_loaded(root)) return error;
  const std::string state = core::lockdown_in_force(root);
  if (state.empty()) return error;
  error.text += fmt::format(", and this kernel is locked down ({}) and takes signed modules only", state);
  error.hint = "sign it with a key that the kernel knows (kernel/README.md)";
  return error;
}

}  // namespace maxlat::attribution
