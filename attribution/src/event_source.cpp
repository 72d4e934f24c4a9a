// SPDX-License-Identifier: MIT
#include "event_source.hpp"

#include <algorithm>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <utility>

#include "module/module_source.hpp"
#include "tracefs_source.hpp"

namespace maxlat::attribution {
namespace {

// Of all watched CPUs together, up to 256 of them, and of each: a second and more of a box that does a thousand
// interrupts in it.
constexpr size_t kBuffersKb = 65536, kMostOfOneCpuKb = 2048, kFewestOfOneCpuKb = 256;

template <class Source>
core::Result<OpenedSource> as_source(core::Result<Source> source) {
  if (!source) return source.error();
  return OpenedSource{std::make_unique<Source>(*std::move(source))};
}

}  // namespace

size_t kb_of_a_cpu(const core::CpuList& cpus) {
  return std::clamp(kBuffersKb / cpus.size(), kFewestOfOneCpuKb, kMostOfOneCpuKb);
}

core::Result<OpenedSource> open_event_source(const std::string& backend, const core::CpuList& cpus, bool timers_set) {
  std::string passed_over;
  if (backend != kTracefsBackend) {
    if (core::Status ours = numbers_are_the_kernels("/"); !ours) return ours.error();
    // What a killed run left in tracefs goes on recording, though the module does now.
    if (const auto tracefs = core::open_tracefs("/"))
      core::remove_instances_of_the_dead(*tracefs, KernelBuffers::kInstancePrefix);
    core::Result<OpenedSource> source = as_source(ModuleSource::open(cpus));
    if (source || backend == kModuleBackend) return source;
    passed_over = module_passed_over("/", source.error());
  }
  core::Result<OpenedSource> source = as_source(TracefsSource::open("/", cpus, timers_set));
  if (source) source->passed_over = std::move(passed_over);
  return source;
}

}  // namespace maxlat::attribution
