// SPDX-License-Identifier: MIT
//
// The arms: what stands at npt's tracepoints. One run has one arm; a comparison runs each arm in a process of its own.
//
//   ARM  = NAME[:POLICY][,OPTION]*              LIST = ARM[,ARM]*     an option word belongs to the arm before it
//
// npt/CMakeLists.txt lists the arms. The definitions in npt/arms/ have their policies and options; maxlat-npt(1)
// explains them.
// The options: thread|cpu (who owns a buffer), discard|overwrite, size=BYTES (of a sub-buffer, with k M G), count=N
// (sub-buffers), snapshot=TIME (with overwrite: the buffers are written out when a gap is longer), events=GROUP:NAME
// (of the kernel, with * and ?; given again, those too), period=TIME (with the policy timer: how often the consumer
// looks; 0: without a rest), monitors=N and poll=TIME (processes that read the sensors meanwhile, and how often).
//
// Sizes and counts are powers of two, as far as the arm's definition lets them. A policy that is left out is the arm's
// first.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <optional>
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
  uint64_t snapshot_above_ns = 0;       // 0: only at the end
  std::vector<std::string> events{};    // "GROUP:NAME"; empty: the arm's own
  std::optional<uint64_t> period_ns{};  // nothing: the arm's own. 0: the consumer never rests
  uint64_t monitors = 0;                // of sensors
  uint64_t poll_ns = 0;                 // from one look of theirs to the next
  uint64_t delay_ns = 0;                // of the control arm
  uint64_t delay_every = 1;

  bool is_none() const { return name == "none"; }
};

// ERRORS: unknown arm, policy or option, an option that the arm does not have, a size that is no power of two, a period
// that its consumer cannot keep.
core::Result<ArmSpec> parse_arm(std::string_view text);
// The same of each, and: an empty list, an option before the first arm.
core::Result<std::vector<ArmSpec>> parse_arm_list(std::string_view text);

// As parse_arm() reads it back, without what is default: "maxlat:timer,cpu". Phase::arm.
std::string to_string(const ArmSpec& arm);

// "none, maxlat, lttng-ust, ...": for help and errors.
std::string arm_names();

// "4096", "64k", "1M". Nothing when it is no number, is not a power of two, or does not fit.
std::optional<uint64_t> power_of_two(std::string_view text);
// The reverse: the largest unit that it is a whole number of.
std::string size_text(uint64_t bytes);

}  // namespace maxlat::npt
