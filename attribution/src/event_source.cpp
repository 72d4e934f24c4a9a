// SPDX-License-Identifier: MIT
#include "event_source.hpp"

#include <algorithm>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <utility>

#include "module_source.hpp"
#include "tracefs_source.hpp"

namespace maxlat::attribution {
namespace {

// Of all watched CPUs together, up to 256 of them, and of each: a second and more of a box that does a thousand
// interrupts in it.
constexpr size_t kBuffersKb = 65536, kMostOfOneCpuKb = 2048, kFewestOfOneCpuKb = 256;

using Opened = core::Result<std::unique_ptr<EventSource>>;

template <class Source>
Opened as_source(core::Result<Source> source) {
  if (!source) return source.error();
  return std::unique_ptr<EventSource>(std::make_unique<Source>(*std::move(source)));
}

}  // namespace

size_t kb_of_a_cpu(const core::CpuList& cpus) {
  return std::clamp(kBuffersKb / cpus.size(), kFewestOfOneCpuKb, kMostOfOneCpuKb);
}

Opened open_event_source(const std::string& backend, const core::CpuList& cpus) {
  if (backend != kTracefsBackend) {
    if (core::Status ours = numbers_are_the_kernels("/"); !ours) return ours.error();
    // What a killed run left in tracefs goes on recording, though the module does now.
    if (const std::string tracefs = core::find_tracefs("/"); !tracefs.empty())
      core::remove_instances_of_the_dead(tracefs, KernelBuffers::kInstancePrefix);
    Opened source = as_source(ModuleSource::open(cpus));
    if (source || backend == kModuleBackend) return source;
  }
  return as_source(TracefsSource::open("/", cpus));
}

}  // namespace maxlat::attribution
