// SPDX-License-Identifier: MIT
//
// The kernel's trace buffers of some CPUs, in a trace instance of our own: nobody else's tracing is touched, and
// nothing of it is left. Where the reader does not keep up, the newest events are kept, and each page says what was
// lost before it.
//
// CLOCK     x86-tsc: the time-stamp counter as it is, so a time here and a read of the counter have one order
//           (WithThisKernel.AStampLiesBetweenTwoReadsOfTheCounter).
// UNDONE    by the destructor; an instance of a maxlat that was killed is removed by the next one.
// THREADS   one at a time.
#pragma once

#include <cstdint>
#include <maxlat/attribution/ring_page.hpp>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <span>
#include <string>
#include <vector>

namespace maxlat::attribution {

class KernelBuffers {
 public:
  static constexpr const char* kInstancePrefix = "maxlat-kernel-";  // and our process number

  // Nothing is recorded yet. `root` is "/" in life; `prefix`: of the instance's name, one for each use in a process.
  // ERRORS: no tracefs here, or not for us; a kernel without the clock (Exit::cannot_run).
  static core::Result<KernelBuffers> open(const std::string& root, const char* prefix = kInstancePrefix);

  // The folder with the formats of the events (event_format.hpp).
  std::string events() const { return instance_.path() + "/events"; }

  // Before record(), of one of its events: only what this filter lets through (Documentation/trace/events.rst). ERRORS:
  // the kernel does not understand it.
  core::Status filter(const std::string& event, const std::string& filter) {
    return instance_.set("events/" + event + "/filter", filter);
  }
  // Records these events, "sched/sched_switch", from now on. Once. ERRORS: one cannot be switched on, no memory.
  core::Status record(const core::CpuList& cpus, std::span<const std::string> events, size_t kb_of_a_cpu);

  // The next page of `cpu`, as it stands in the list, into `page`, whose records are there until the next call. False:
  // there is none now. ERRORS: a page that is damaged.
  core::Result<bool> read(size_t cpu, RingPage& page);

  void stop();
  const core::TraceInstance& instance() const { return instance_; }

 private:
  explicit KernelBuffers(core::TraceInstance instance) : instance_(std::move(instance)) {}

  core::TraceInstance instance_;
  std::vector<base::Descriptor> files_;  // closed before the instance goes
  std::vector<std::byte> bytes_;
};

}  // namespace maxlat::attribution
