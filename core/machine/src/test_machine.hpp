// SPDX-License-Identifier: MIT
//
// For tests: a machine on paper.
#pragma once

#include <maxlat/core/machine/settings.hpp>
#include <maxlat/test/fake_root.hpp>
#include <string>

namespace maxlat::core {

// /proc/PID/task/TID/stat of a thread.
inline std::string stat_line(unsigned tid, const std::string& comm, unsigned long flags, unsigned priority,
                             unsigned policy) {
  std::string line = std::to_string(tid) + " (" + comm + ") S";
  for (int field = 4; field <= 52; ++field) {
    const unsigned long value = field == 9 ? flags : field == 40 ? priority : field == 41 ? policy : 0;
    line += field == 8 ? " -1" : " " + std::to_string(value);
  }
  return line + "\n";
}

class FakeMachine : public test::FakeRoot {
 public:
  MachineView view(const CpuList& measured) const { return {path(), measured}; }
};

}  // namespace maxlat::core
