// SPDX-License-Identifier: MIT
#include "event_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <maxlat/core/sys/text_file.hpp>

namespace maxlat::attribution {
namespace {

constexpr size_t kLargestPage = 256 * 1024;  // a kernel may be told to use larger ones than 4 KiB
// Of all watched CPUs together, up to 256 of them, and of each: a second and more of a box that does a thousand
// interrupts in it.
constexpr size_t kBuffersKb = 65536, kMostOfOneCpuKb = 2048, kFewestOfOneCpuKb = 256;
constexpr const char* kBufferOfOthersKb = "8";

core::Error as_cannot_run(core::Error error) {
  error.exit_status = core::Exit::cannot_run;
  return error;
}

}  // namespace

core::Result<EventSource> EventSource::open(const std::string& root, const core::CpuList& cpus) {
  const std::string tracefs = core::find_tracefs(root);
  if (tracefs.empty()) return core::cannot_run(core::why_no_tracefs(root));
  if (core::read_file(tracefs + "/trace_clock").value_or("").find("x86-tsc") == std::string::npos)
    return core::cannot_run("this kernel's trace has no clock that is the time-stamp counter (x86-tsc)");
  core::remove_instances_of_the_dead(tracefs, kInstancePrefix);
  auto instance = core::TraceInstance::make(tracefs, fmt::format("{}{}", kInstancePrefix, ::getpid()));
  if (!instance) return as_cannot_run(instance.error());
  auto formats = EventFormats::read(instance->path() + "/events");
  if (!formats) return formats.error();
  EventSource source(*std::move(instance), *std::move(formats));
  if (core::Status recording = source.record(cpus); !recording) return as_cannot_run(recording.error());
  return source;
}

core::Status EventSource::record(const core::CpuList& cpus) {
  bytes_.resize(kLargestPage);
  const std::pair<std::string, std::string> settings[] = {{"tracing_on", "0"},
                                                          {"buffer_size_kb", kBufferOfOthersKb},
                                                          {"trace_clock", "x86-tsc"},
                                                          {"options/overwrite", "1"},
                                                          {"tracing_cpumask", core::to_mask(cpus)}};
  for (const auto& [name, value] : settings)
    if (core::Status set = instance_.set(name, value); !set) return set;
  const size_t buffer_kb = std::clamp(kBuffersKb / cpus.size(), kFewestOfOneCpuKb, kMostOfOneCpuKb);
  for (const unsigned cpu : cpus) {
    const std::string folder = fmt::format("per_cpu/cpu{}/", cpu);
    if (core::Status set = instance_.set(folder + "buffer_size_kb", fmt::format("{}", buffer_kb)); !set) return set;
    const std::string file = instance_.path() + "/" + folder + "trace_pipe_raw";
    // Who waited for events would be woken by the interrupt that records them.
    base::Descriptor opened(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!opened) return core::system_error("cannot open " + file, errno);
    streams_.push_back({cpu, false, std::move(opened), UnseenSwitches(thread_of_proc)});
  }
  for (const std::string& name : formats_.names())
    if (core::Status set = instance_.set("events/" + name + "/enable", "1"); !set) return set;
  return instance_.set("tracing_on", "1");
}

core::Result<bool> EventSource::read(size_t cpu, size_t at_most_pages, std::vector<KernelEvent>& events) {
  Stream& stream = streams_[cpu];
  for (size_t pages = 0; pages < at_most_pages; ++pages) {
    const ssize_t got = ::read(stream.file.number(), bytes_.data(), bytes_.size());
    if (got == 0 || (got < 0 && errno == EAGAIN)) return true;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return core::system_error("cannot read the kernel's trace buffer", errno);
    const core::Status sound = read_ring_page({bytes_.data(), static_cast<size_t>(got)}, page_);
    if (!sound) return sound.error();
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

void EventSource::stop() {
  (void)instance_.set("tracing_on", "0");
}

}  // namespace maxlat::attribution
