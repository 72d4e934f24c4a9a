// SPDX-License-Identifier: MIT
//
// What an arm is: a name, what a user may ask of it, and how it is made. Adding an arm is one file, arm_NAME.cpp, that
// defines one of these, and a row in npt/CMakeLists.txt (docs/where-to-change-what.md).
//
// ArmSpec is what a user asked for, parsed against the definition before anything runs; Arm is the thing itself.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/npt/arm.hpp>
#include <maxlat/npt/arm_spec.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::npt {

inline constexpr uint64_t kMiB = 1024 * 1024, kGiB = 1024 * kMiB;

struct ArmDefinition {
  std::string_view name;
  std::unique_ptr<Arm> (*make)() = nullptr;  // null: "none", or what cannot_run says
  std::string_view cannot_run = {};          // why this arm never runs
  std::string_view cannot_run_hint = {};

  std::vector<std::string_view> policies = {};  // of delivery; the first is the default
  // For an arm whose text after the colon is not one of `policies` (delay:50ns): parses that text, and sets
  // ArmSpec::policy to its canonical form. The text is then mandatory; `policy_is` ("a time") and the hint describe it.
  core::Status (*read_policy)(std::string_view text, ArmSpec& arm) = nullptr;
  std::string_view policy_is = {}, policy_hint = {};

  bool has_owner = false, has_when_full = false;
  bool has_monitors = false;                    // of the sensors that it posts to
  bool has_events = false;                      // a policy but "none" records events of the kernel that may be named
  uint64_t shortest_period_ns = 0;              // of the policy timer's consumer; 0: no period
  bool polls_actively = false;                  // that consumer may go without a rest: period=0
  uint64_t most_buffers = 0;                    // 0: no count
  uint64_t default_size = 0, largest_size = 0;  // 0: no size
};

// In the order of help; "none" is the first. Another program may add its own before it parses anything.
std::vector<const ArmDefinition*>& arm_table();
const ArmDefinition* find_arm(std::string_view name);  // null: there is none

// In the largest unit that has no fraction: "100us", "50ns".
std::string exact_time(uint64_t ns);

}  // namespace maxlat::npt
