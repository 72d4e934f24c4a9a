// SPDX-License-Identifier: MIT
//
// What every --json file of rt-tests tells of its run, whichever of the tools wrote it.
#pragma once

#include <string>

namespace maxlat::importing {

struct RtTestsHead {
  std::string version;         // "2.40"
  std::string command;         // the whole command line
  std::string kernel;          // "Linux 6.12.9 #1 SMP PREEMPT_RT x86_64"; the host's name is left out
  std::string started, ended;  // as core::utc_text() writes times; empty when the file does not tell
  double duration_s = 0;
};

}  // namespace maxlat::importing
