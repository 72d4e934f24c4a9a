// SPDX-License-Identifier: MIT
//
// The kernel's events of some CPUs as the accounting takes them, whoever records them: decoded, with a hole where
// something was lost, and with the switches that were not recorded.
//
// THREADS   one at a time.
// UNDONE    by the destructor: nothing records any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/attribution/kernel_backend.hpp>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <memory>
#include <string>
#include <vector>

namespace maxlat::attribution {

class EventSource {
 public:
  virtual ~EventSource() = default;

  virtual const char* backend() const = 0;  // kernel_backend.hpp
  // What `cpu`, as it stands in the list, recorded since the last call, added to `events`. It reads until there is no
  // more, and gives up behind `at_most_packets` of the recorder's, so that a flood cannot hold it: true when there was
  // no more. ERRORS: memory that is damaged.
  virtual core::Result<bool> read(size_t cpu, size_t at_most_packets, std::vector<KernelEvent>& events) = 0;
  virtual void stop() = 0;
  // Of the recorder's books: what was read, without the holes and switches that were made of it, and what never was.
  virtual uint64_t events() const = 0;
  virtual uint64_t lost() const = 0;
};

struct OpenedSource {
  std::unique_ptr<EventSource> source;
  std::string passed_over{};  // kernel_watch.hpp
};

// Records from now on, by that back end, or by the first that can. ERRORS: that of the last that was tried
// (Exit::cannot_run). `timers_set`: for wake-ups, when hrtimers are to expire (tracefs), or how late they did (the
// module). REQUIRES: a name of a back end, or kAnyBackend.
core::Result<OpenedSource> open_event_source(const std::string& backend, const core::CpuList& cpus, bool timers_set);

// The recorder's memory of each.
size_t kb_of_a_cpu(const core::CpuList& cpus);

}  // namespace maxlat::attribution
