// SPDX-License-Identifier: MIT
//
// The kernel's events of some CPUs as the accounting takes them: decoded from its buffers (kernel_buffers.hpp), with a
// hole where something was lost, and with the switches that it did not record.
//
// THREADS   one at a time.
#pragma once

#include <cstdint>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/attribution/unseen_switches.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

#include "event_formats.hpp"

namespace maxlat::attribution {

class EventSource {
 public:
  // Records from now on. `root` is "/" in life. ERRORS: no tracefs here, or not for us; a kernel without the clock or
  // the events (Exit::cannot_run).
  static core::Result<EventSource> open(const std::string& root, const core::CpuList& cpus);

  // What `cpu`, as it stands in the list, recorded since the last call, added to `events`. It reads until the buffer is
  // empty, and gives up behind `at_most_pages`, so that a flood cannot hold it: true when it was empty.
  // ERRORS: a page that is damaged.
  core::Result<bool> read(size_t cpu, size_t at_most_pages, std::vector<KernelEvent>& events);

  void stop() { buffers_.stop(); }
  // Events that were overwritten before they were read.
  uint64_t lost() const { return instance().counts().overwritten; }
  const core::TraceInstance& instance() const { return buffers_.instance(); }

 private:
  EventSource(KernelBuffers buffers, EventFormats formats)
      : buffers_(std::move(buffers)), formats_(std::move(formats)) {}

  KernelBuffers buffers_;
  EventFormats formats_;
  struct Stream {
    bool hole;  // before the next event
    UnseenSwitches switches;
  };
  std::vector<Stream> streams_;
  RingPage page_;
};

}  // namespace maxlat::attribution
