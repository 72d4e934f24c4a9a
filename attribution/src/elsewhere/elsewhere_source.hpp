// SPDX-License-Identifier: MIT
//
// What other CPUs do to the watched ones, whoever records those: by a trace instance of its own, of all CPUs, in which
// the kernel's filters leave only these few events. So its buffers are small, and no CPU records what concerns nobody.
//
// THREADS   one at a time.
// UNDONE    by the destructor.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/attribution/kernel_buffers.hpp>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/attribution/unseen_switches.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

#include "elsewhere/elsewhere_formats.hpp"

namespace maxlat::attribution {

class ElsewhereSource {
 public:
  // Records from now on. ERRORS: no tracefs here, or not for us; a kernel without the clock or the events
  // (Exit::cannot_run).
  static core::Result<ElsewhereSource> open(const core::CpuList& watched);

  // Of the two events that tell who sent an interrupt: one tells of those to one CPU, the other of those to several.
  int sender_events() const { return sender_events_; }

  // Since the last call: of each watched CPU, in the order of time, added to done[i]. False: some is lost, or there is
  // more. ERRORS: memory that is damaged.
  core::Result<bool> read(std::vector<std::vector<KernelEvent>>& done);
  void stop() { buffers_.stop(); }
  uint64_t lost() const { return buffers_.instance().counts().lost(); }

 private:
  ElsewhereSource(KernelBuffers buffers, ElsewhereFormats formats)
      : buffers_(std::move(buffers)), formats_(std::move(formats)) {}
  // False: it is of no event that we know.
  bool add(const RingRecord& record, unsigned by, std::vector<std::vector<KernelEvent>>& done);

  KernelBuffers buffers_;
  ElsewhereFormats formats_;
  core::CpuList watched_, all_;
  int sender_events_ = 0;
  RingPage page_;
  std::map<int32_t, ShortName> names_;  // of this read(): later the number may be another thread's
};

}  // namespace maxlat::attribution
