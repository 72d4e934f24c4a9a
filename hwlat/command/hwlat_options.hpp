// SPDX-License-Identifier: MIT
//
// The command line of `maxlat hwlat`: hwlatdetect's options with its meanings, rtla hwnoise's where they
// differ, and rt-tests' letters.
#pragma once

#include <maxlat/core/sys/command.hpp>
#include <string>

#include "backend.hpp"

namespace maxlat::hwlat {

struct Options {
  Settings settings;  // window_ns and width_ns 0: the back end's default
  std::string back_end = "auto";
  uint64_t hard_limit_ns = 0;  // 0: none given
  uint64_t stop_ns = 0;        // end at the first gap above; 0: do not
  std::string json_path, report_path, raw_path;
  std::string load_path;         // of a module to load for this run
  std::string no_kernel_events;  // why they are not recorded, though whoever can was to; as the fact has it
  bool watch = false, debug = false, quiet = false, help = false;
};

// ERRORS: a mistake on the command line; a CPU that cannot be used.
core::Result<Options> parse_options(const core::Arguments& arguments);
std::string help();

}  // namespace maxlat::hwlat
