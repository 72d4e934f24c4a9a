// SPDX-License-Identifier: MIT
#include "tracefs_source.hpp"

namespace maxlat::attribution {
core::Result<TracefsSource> TracefsSource::open(const std::string& root, const core::CpuList& cpus, bool timers_set) {
  auto buffers = KernelBuffers::open(root);
  if (!buffers) return buffers.error();
  auto formats = EventFormats::read(buffers->events(), timers_set);
  if (!formats) return formats.error();
  TracefsSource source(*std::move(buffers), *std::move(formats));
  const core::Status recording = source.buffers_.record(cpus, source.formats_.names(), kb_of_a_cpu(cpus));
  if (!recording) return recording.error();
  for (size_t i = 0; i < cpus.size(); ++i) source.streams_.push_back({false, UnseenSwitches(thread_of_proc)});
  return source;
}

core::Result<bool> TracefsSource::read(size_t cpu, size_t at_most_packets, std::vector<KernelEvent>& events) {
  Stream& stream = streams_[cpu];
  for (size_t pages = 0; pages < at_most_packets; ++pages) {
    const core::Result<bool> any = buffers_.read(cpu, page_);
    if (!any) return any.error();
    if (!*any) return true;
    stream.hole = stream.hole || page_.lost_before;
    for (const RingRecord& record : page_.records) {
      const auto event = formats_.decode(record.tick, record.bytes);
      if (stream.hole || !event) stream.switches.add({.tick = record.tick, .kind = EventKind::hole}, events);
      stream.hole = false;
      if (!event) continue;
      stream.switches.add(*event, events);
      ++events_;
    }
  }
  return false;
}

}  // namespace maxlat::attribution
