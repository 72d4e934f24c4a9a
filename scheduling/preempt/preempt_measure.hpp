// SPDX-License-Identifier: MIT
//
// The preemption test: every pair of policies, on one CPU after the other.
//
// ERRORS   Exit::cannot_run where this process may not have a real-time policy at all. What the kernel refuses of a
//          pair is in the pair.
// THE PHASE   its samples are the latencies of the pairs that must preempt. It is ok when every promise was put to the
//          test, kept or not (PolicyPair::verdict() tells); invalid when no round shows whether one was, and where
//          another task keeps a CPU from a real-time thread of ours: that ends the test, with what there is.
// THREADS  the calling thread keeps off the measured CPUs where it can. SIGINT ends it after the round
//          (core/sys/stop.hpp).
#pragma once

#include <functional>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <optional>
#include <string>

namespace maxlat::scheduling {

struct PreemptSettings {
  core::CpuList cpus;
  int priority = 95;                    // of the higher real-time threads
  std::optional<uint64_t> loops = 100;  // rounds of each pair; nothing: as many as there is time for
  uint64_t duration_ns = 0;             // of all; each pair gets its share, and one round at the least. 0: no limit
  std::string kernel_events{};          // who had the time of the largest delays, by this back end
                                        // (attribution/kernel_backend.hpp); "": nobody asks
};

// Called after each pair with what there is so far, as if the test had been interrupted there.
using OnPair = std::function<void(const core::Phase& so_far, double done_fraction)>;

core::Result<core::Phase> measure_preemption(const PreemptSettings& settings, const OnPair& on_pair);

}  // namespace maxlat::scheduling
