// SPDX-License-Identifier: MIT
//
// Who sends interrupts to another CPU, on a kernel without an event of it (before Linux 6.4): kprobes on the three
// functions of x86 that send them, as events of tracefs. Their records have thread and context, as all events have.
//
//   reschedule   native_smp_send_reschedule(target)
//   call_one     native_send_call_func_single_ipi(target)
//   call_many    native_send_call_func_ipi(targets), of which the first 64 CPUs
//
// docs/kernel-ring.md has which functions were seen to send. The events are the whole kernel's (core/sys/tracefs.hpp),
// in a group with our process's number. An instance made before them has them, too.
//
// COST      a sender takes a kprobe by ftrace for each interrupt that it sends, to whatever CPU.
// UNDONE    by the destructor, when no instance has them on; those of a maxlat that was killed, by the next one, and so
//           those that another tracer had on, too, when it had switched on all events.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::attribution {

class SenderProbes {
 public:
  // `root` is "/" in life. ERRORS: no kprobes by ftrace in this kernel, or not for us; another processor; Xen.
  static core::Result<SenderProbes> make(const std::string& root, const std::string& tracefs);
  SenderProbes(SenderProbes&&) noexcept = default;
  SenderProbes& operator=(SenderProbes&&) = delete;
  ~SenderProbes();

  const std::string& group() const { return group_; }  // "maxlat_senders_1234"

 private:
  SenderProbes(std::string file, std::string group) : file_(std::move(file)), group_(std::move(group)) {}
  std::string file_, group_;
  std::vector<std::string> made_;
};

}  // namespace maxlat::attribution
