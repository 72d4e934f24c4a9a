// SPDX-License-Identifier: MIT
//
// The arms: what stands at npt's tracepoints. One run has one arm; a comparison runs each arm in a process of its own.
//
//   ARM  = NAME[:POLICY][,OPTION]*              LIST = ARM[,ARM]*     an option word belongs to the arm before it
//
//   none                      the bare loop, nothing is called
//   maxlat[:timer|wakeup]     our tracer. OPTION: thread|cpu (who owns a buffer; thread), discard|overwrite (discard),
//                             size=BYTES (of a sub-buffer, with k M G; 1M), count=N (sub-buffers; 32); with
//                             overwrite, snapshot=TIME: the buffers are written out when a gap is longer
//   lttng-ust[:writer|timer]  LTTng-UST, its session daemon and session run by npt. OPTION: size=, count=
//   lttng-modules             LTTng's kernel tracer: always skipped, with the reason (its modules do not build)
//   locked-printf             a mutex and fprintf to a file: the class of logger that Beamonte 2015 calls unsuitable
//   spdlog-async              spdlog's asynchronous logger, its queue's defaults
//   usdt                      a SystemTap SDT probe with nothing attached: its nop
//   systemtap                 the same with SystemTap attached, a line for each event. OPTION: size= (of its buffer; 32M)
//   uprobe                    the kernel's uprobe_events on the tracepoint. OPTION: size= (of the kernel's buffer; 32M)
//   ftrace-marker             a line to the kernel's trace_marker. OPTION: size=
//   delay:TIME[/N]            a control, no tracer: every N-th event busy-waits TIME by the counter (N is 1). delay:50ns
//                             shifts the mean, delay:100us/1000000 only the tail, delay:0ns is a call that does
//                             nothing: a comparison that cannot find them is not worth its verdict
//
// Sizes and counts are powers of two: of maxlat up to 64M and 128, of the others up to 1G and 65536. A policy that is
// left out is the first one named here.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::npt {

struct ArmSpec {
  enum class Owner { thread, cpu };
  enum class WhenFull { discard, overwrite };

  std::string name = "none";
  std::string policy;  // of delivery, or what a control does; empty where the arm has none
  Owner owner = Owner::thread;
  WhenFull when_full = WhenFull::discard;
  uint64_t sub_buffer_bytes = 0;  // 0 where the arm has no buffer of ours to size
  uint64_t sub_buffers = 0;
  uint64_t snapshot_above_ns = 0;  // 0: only at the end
  uint64_t delay_ns = 0;           // of the control arm
  uint64_t delay_every = 1;

  bool is_none() const { return name == "none"; }
};

// ERRORS: unknown arm, policy or option, an option that the arm does not have, a size that is no power of two.
core::Result<ArmSpec> parse_arm(std::string_view text);
// The same of each, and: an empty list, an option before the first arm.
core::Result<std::vector<ArmSpec>> parse_arm_list(std::string_view text);

// As parse_arm() reads it back, without what is default: "maxlat:timer,cpu". Phase::arm.
std::string to_string(const ArmSpec& arm);

// "none, maxlat, lttng-ust, ...": for help and errors.
std::string arm_names();

}  // namespace maxlat::npt
