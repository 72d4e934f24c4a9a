// SPDX-License-Identifier: MIT
//
// Facts of a phase (Phase::facts) that code reads back. They are of the file format: who writes one and who reads it
// name it by these. All others are for a person, and are named where they are written.
#pragma once

namespace maxlat::core::fact {

inline constexpr const char* kBackEnd = "back end";  // of hwlat, in words
// Why the figures are no more than an upper bound; is_upper_bound() looks for it.
inline constexpr const char* kBound = "bound";
// "2000ns": the phase has no sample that was shorter. Quantiles of such samples are not those of all.
inline constexpr const char* kOnlyAbove = "only samples above";
inline constexpr const char* kInterval = "interval";  // "100 us", of a timer's threads
// "cyclictest 2.40": who measured, where the kind of the phase does not tell it, or not the version.
inline constexpr const char* kMeter = "meter";
// Samples that the meter saw and did not keep, so that no count of them is whole.
inline constexpr const char* kNotKept = "samples not kept";
inline constexpr const char* kKernelEvents = "kernel events";  // of --kernel-events: recorded, or why not
inline constexpr const char* kSmiCount = "SMI count";          // of each CPU in the run, or why it is not known
inline constexpr const char* kSteal = "steal";           // time that the host took from each CPU, where there is a host
inline constexpr const char* kTraceMark = "trace mark";  // of --tracemark: where it is, or why not
// "10.0 us": the shortest gap that hwlat lists.
inline constexpr const char* kThreshold = "threshold";
// Why a maximum at the threshold stands for any gap up to it: the kernel's tracer does not tell what is shorter.
inline constexpr const char* kBelowThreshold = "below the threshold";
// The moment that the times of a phase's samples count from: phase_start.hpp.
inline constexpr const char* kStartMonotonic_ns = "start_monotonic_ns";
inline constexpr const char* kStartRealtime_ns = "start_realtime_ns";
// "26": of one CPU, in percent, of an arm's consumer or monitors, from before the loops begin until they have ended.
inline constexpr const char* kConsumerCpu = "consumer_cpu_percent";
inline constexpr const char* kTraceBytes = "trace_bytes";  // what an arm's tracer wrote
// "50.0 us": the measurement was to end at the first sample above. Told whether one was or not.
inline constexpr const char* kLimit = "stops at";
inline constexpr const char* kBreak = "break";  // where and when that limit was exceeded: a failure
// The sample above that limit, where it ended the measurement and is no failure.
inline constexpr const char* kEndedBy = "ended by";

}  // namespace maxlat::core::fact
