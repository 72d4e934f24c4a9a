// SPDX-License-Identifier: MIT
//
// Monitors of the sensors that a run posts to (ArmSpec::monitors): `maxlat sensors stats`, each a process of its own on
// CPUs that are not measured. They are started before there is anything to see, for to start a process is not for a
// program that measures, and wait for the groups of all threads.
#pragma once

#include <maxlat/core/sys/process.hpp>
#include <maxlat/npt/arm.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::npt {

class SensorMonitors {
 public:
  // Of the groups "npt-0", "npt-1" ... of this process, as many as there are measured CPUs. ERRORS: the system's.
  core::Status start(const ArmSurroundings& surroundings);
  // When these are published. ERRORS: not within 20 s. THREADS: any.
  core::Status wait_until_they_look() const;
  // CPU time of all of them, so far. Absent: there are none.
  std::optional<double> cpu_seconds() const;
  // What they saw, into the facts. One that did not look to the end makes the run invalid.
  void finish(ArmBooks& books);

 private:
  std::vector<core::Child> running_;
  std::vector<std::string> groups_;
};

}  // namespace maxlat::npt
