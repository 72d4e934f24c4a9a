// SPDX-License-Identifier: MIT
#include "event_source.hpp"

#include <algorithm>

namespace maxlat::attribution {
namespace {

// Of all watched CPUs together, up to 256 of them, and of each: a second and more of a box that does a thousand
// interrupts in it.
constexpr size_t kBuffersKb = 65536, kMostOfOneCpuKb = 2048, kFewestOfOneCpuKb = 256;

}  // namespace

core::Result<EventSource> EventSource::open(const std::string& root, const core::CpuList& cpus) {
  auto buffers = KernelBuffers::open(root);
  if (!buffers) return buffers.error();
  auto formats = EventFormats::read(buffers->events());
  if (!formats) return formats.error();
  EventSource source(*std::move(buffers), *std::move(formats));
  const size_t buffer_kb = std::clamp(kBuffersKb / cpus.size(), kFewestOfOneCpuKb, kMostOfOneCpuKb);
  const core::Status recording = source.buffers_.record(cpus, source.formats_.names(), buffer_kb);
  if (!recording) return recording.error();
  for (size_t i = 0; i < cpus.size(); ++i) source.streams_.push_back({false, UnseenSwitches(thread_of_proc)});
  return source;
}

core::Result<bool> EventSource::read(size_t cpu, size_t at_most_pages, std::vector<KernelEvent>& events) {
  Stream& stream = streams_[cpu];
  for (size_t pages = 0; pages < at_most_pages; ++pages) {
    const core::Result<bool> any = buffers_.read(cpu, page_);
    if (!any) return any.error();
    if (!*any) return true;
    stream.hole = stream.hole || page_.lost_before;
    for (const RingRecord& record : page_.records) {
      const auto event = formats_.decode(record.tick, record.bytes);
      if (stream.hole || !event) stream.switches.add({.tick = record.tick, .kind = EventKind::hole}, events);
      stream.hole = false;
      if (event) stream.switches.add(*event, events);
    }
  }
  return false;
}

}  // namespace maxlat::attribution
