// SPDX-License-Identifier: MIT
#include "control_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace maxlat::trace_tools {

core::Result<ListeningProgram> ask_program(trace::ControlConnection& connection) {
  ListeningProgram program;
  const auto hello = connection.request("hello");
  if (!hello) return hello.error();
  for (const std::string& line : hello->lines) {
    if (line.starts_with("pid ")) program.pid = std::atoi(line.c_str() + 4);
    if (line.starts_with("process ")) program.name = line.substr(8);
  }
  const auto status = connection.request("status");
  if (!status) return status.error();
  for (const std::string& line : status->lines) {
    if (line.starts_with("session ")) program.sessions.push_back(line.substr(8));
  }
  return program;
}

core::Result<ListeningProgram> ask_program(int pid, std::chrono::milliseconds patience) {
  auto connection = trace::ControlConnection::connect(pid, patience);
  if (!connection) return connection.error();
  return ask_program(*connection);
}

core::Result<int> find_process(const std::string& pid_or_name) {
  const auto digit = [](char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; };
  if (!pid_or_name.empty() && pid_or_name.size() < 10 && std::all_of(pid_or_name.begin(), pid_or_name.end(), digit)) {
    return std::atoi(pid_or_name.c_str());
  }
  std::vector<int> found;
  for (const int pid : trace::listening_processes()) {
    const auto program = ask_program(pid);
    if (program && program->name == pid_or_name) found.push_back(pid);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return core::Error{fmt::format("no listening program is called \"{}\"", pid_or_name),
                       "`maxlat trace list` shows who listens"};
  }
  return core::Error{fmt::format("{} listening programs are called \"{}\"", found.size(), pid_or_name),
                     fmt::format("take a process number: {}", fmt::join(found, ", "))};
}

}  // namespace maxlat::trace_tools
