// SPDX-License-Identifier: MIT
//
// The frame of every result that npt writes: who measured, when, on what machine, by which command.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/command.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <string>
#include <vector>

namespace maxlat::npt {

// "maxlat npt ..." as a shell would read it back.
std::string command_text(const core::Arguments& words);

// What is known of the machine, read once, before the run.
struct Machine {
  std::vector<core::FingerprintGroup> fingerprint;
  std::vector<std::string> not_comparable;
};
Machine read_machine(const core::CpuList& measured);

// A run that began at `started` and ends now, complete, without a phase yet.
core::RunResult run_record(const std::string& plan, const std::string& started, const Machine& machine);

}  // namespace maxlat::npt
