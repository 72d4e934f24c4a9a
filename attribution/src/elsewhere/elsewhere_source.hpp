// SPDX-License-Identifier: MIT
//
// What other CPUs do to the watched ones, whoever records those: by a trace instance of its own, of all CPUs, in which
// the kernel's filters leave only these few events. So its buffers are small, and no CPU records what concerns nobody.
// On a kernel that has no event of interrupts that are sent: by probes (sender_probes.hpp), too.
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
#include <optional>
#include <string>
#include <vector>

#include "elsewhere/elsewhere_formats.hpp"
#include "elsewhere/sender_probes.hpp"

namespace maxlat::attribution {

class ElsewhereSource {
 public:
  // Records from now on. ERRORS: no tracefs here, or not for us; a kernel without the clock or the events
  // (Exit::cannot_run).
  static core::Result<ElsewhereSource> open(const core::CpuList& watched);

  // Whether it tells who sent an interrupt to one CPU, and one to several at once, of all watched CPUs.
  bool tells_senders_to_one() const { return senders_to_one_; }
  bool tells_senders_to_several() const { return senders_to_several_; }
  // Of a kernel without events of its own: why there are no probes either. "": there are.
  const std::string& why_no_probes() const { return why_no_probes_; }

  // Since the last call: of each watched CPU, in the order of time, added to done[i]. False: some is lost, or there is
  // more. ERRORS: memory that is damaged.
  core::Result<bool> read(std::vector<std::vector<KernelEvent>>& done);
  void stop() { buffers_.stop(); }
  uint64_t lost() const { return buffers_.instance().counts().lost(); }

 private:
  ElsewhereSource(std::optional<SenderProbes> probes, KernelBuffers buffers, ElsewhereFormats formats)
      : probes_(std::move(probes)), buffers_(std::move(buffers)), formats_(std::move(formats)) {}
  // False: it is of no event that we know.
  bool add(const RingRecord& record, unsigned by, std::vector<std::vector<KernelEvent>>& done);

  std::optional<SenderProbes> probes_;  // before the instance that has them on: it goes first
  KernelBuffers buffers_;
  ElsewhereFormats formats_;
  core::CpuList watched_, all_;
  bool senders_to_one_ = false, senders_to_several_ = false;
  std::string why_no_probes_;
  RingPage page_;
  std::map<int32_t, ShortName> names_;  // of this read(): later the number may be another thread's
};

}  // namespace maxlat::attribution
