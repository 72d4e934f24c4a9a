// SPDX-License-Identifier: MIT
// Which running program is meant.
#pragma once

#include <chrono>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/control_client.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

struct ListeningProgram {
  int pid = 0;
  std::string name;
  std::vector<std::string> sessions;  // "NAME STATE"
};

// What a program says of itself.
core::Result<ListeningProgram> ask_program(trace::ControlConnection& connection);
core::Result<ListeningProgram> ask_program(int pid, std::chrono::milliseconds patience = trace::kControlPatience);

// A process number, or the name of the one listening program that is called so.
core::Result<int> find_process(const std::string& pid_or_name);

}  // namespace maxlat::trace_tools
