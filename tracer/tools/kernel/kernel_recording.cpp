// SPDX-License-Identifier: MIT
#include "kernel_recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "kernel_events/wanted_events.hpp"

namespace maxlat::trace_tools {
namespace {

constexpr KernelBackend kBackends[] = {
    {kModuleBackend, "maxlat_trace.ko, where it is loaded", true, record_by_module},
    {kTracefsBackend, "the kernel's own trace buffers, in an instance of ours", false, record_by_tracefs},
};

}  // namespace

std::span<const KernelBackend> kernel_backends() {
  return kBackends;
}

std::string kernel_backend_names() {
  std::string names;
  for (const KernelBackend& backend : kBackends) names += std::string(backend.name) + "|";
  return names + kAnyBackend;
}

core::Result<std::unique_ptr<KernelRecording>> start_kernel_recording(const KernelPlan& plan) {
  const bool functions = std::any_of(plan.patterns.begin(), plan.patterns.end(), is_function_pattern);
  core::Error why = core::cannot_run(fmt::format("the back end {} records no functions (kprobe:)", plan.backend),
                                     fmt::format("--kernel={}", kModuleBackend));
  std::string passed_over;
  for (const KernelBackend& backend : kBackends) {
    if (plan.backend != kAnyBackend && plan.backend != backend.name) continue;
    if (functions && !backend.functions) continue;
    auto recording = backend.start(plan);
    if (recording) {
      if (!passed_over.empty()) plan.say(fmt::format("recorded by {}; {}", backend.name, passed_over));
      return recording;
    }
    why = recording.error();
    if (std::string_view(backend.name) == kModuleBackend) passed_over = attribution::module_passed_over("/", why);
  }
  return why;
}

}  // namespace maxlat::trace_tools
