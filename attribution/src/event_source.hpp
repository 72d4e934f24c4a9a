// SPDX-License-Identifier: MIT
//
// The kernel's events of some CPUs, from a trace instance of our own: nobody else's tracing is touched, and nothing of
// it is left. The newest events are kept where the reader does not keep up; what was lost for it is told.
//
// CLOCK     x86-tsc: the time-stamp counter as it is, so a time here and a read of the counter have one order
//           (WithThisKernel.AStampLiesBetweenTwoReadsOfTheCounter).
// UNDONE    by the destructor; an instance of a maxlat that was killed is removed by the next one.
// THREADS   one at a time.
#pragma once

#include <cstdint>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <string>
#include <vector>

#include "event_formats.hpp"
#include "ring_page.hpp"
#include "unseen_switches.hpp"

namespace maxlat::attribution {

class EventSource {
 public:
  static constexpr const char* kInstancePrefix = "maxlat-kernel-";  // and our process number

  // Records from now on. `root` is "/" in life. ERRORS: no tracefs here, or not for us; a kernel without the clock or
  // the events (Exit::cannot_run).
  static core::Result<EventSource> open(const std::string& root, const core::CpuList& cpus);

  // What `cpu`, as it stands in the list, recorded since the last call, added to `events`. It reads until the buffer is
  // empty, and gives up behind `at_most_pages`, so that a flood cannot hold it: true when it was empty.
  // ERRORS: a page that is damaged.
  core::Result<bool> read(size_t cpu, size_t at_most_pages, std::vector<KernelEvent>& events);

  void stop();
  // Events that were overwritten before they were read.
  uint64_t lost() const { return instance_.counts().overwritten; }
  const core::TraceInstance& instance() const { return instance_; }

 private:
  EventSource(core::TraceInstance instance, EventFormats formats)
      : instance_(std::move(instance)), formats_(std::move(formats)) {}
  core::Status record(const core::CpuList& cpus);

  core::TraceInstance instance_;
  EventFormats formats_;
  struct Stream {
    unsigned cpu;
    bool hole;              // before the next event
    base::Descriptor file;  // closed before the instance goes
    UnseenSwitches switches;
  };
  std::vector<Stream> streams_;
  std::vector<std::byte> bytes_;
  RingPage page_;
};

}  // namespace maxlat::attribution
