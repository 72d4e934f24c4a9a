// SPDX-License-Identifier: MIT
//
// The kernel's events out of its own trace buffers (kernel_buffers.hpp).
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
#include "event_source.hpp"

namespace maxlat::attribution {

class TracefsSource final : public EventSource {
 public:
  // Records from now on, and with `timers_set` also what EventKind::timer_set is. `root` is "/" in life. ERRORS: no
  // tracefs here, or not for us; a kernel without the clock or the events (Exit::cannot_run).
  static core::Result<TracefsSource> open(const std::string& root, const core::CpuList& cpus, bool timers_set = false);

  const char* backend() const override { return kTracefsBackend; }
  core::Result<bool> read(size_t cpu, size_t at_most_packets, std::vector<KernelEvent>& events) override;
  void stop() override { buffers_.stop(); }
  uint64_t lost() const override { return instance().counts().lost(); }
  uint64_t events() const override { return events_; }
  const core::TraceInstance& instance() const { return buffers_.instance(); }

 private:
  TracefsSource(KernelBuffers buffers, EventFormats formats)
      : buffers_(std::move(buffers)), formats_(std::move(formats)) {}

  KernelBuffers buffers_;
  EventFormats formats_;
  struct Stream {
    bool hole;  // before the next event
    UnseenSwitches switches;
  };
  std::vector<Stream> streams_;
  RingPage page_;
  uint64_t events_ = 0;
};

}  // namespace maxlat::attribution
