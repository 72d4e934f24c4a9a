// SPDX-License-Identifier: MIT
//
// The program that `maxlat trace record -- CMD` starts: as a shell would, with our standard streams, terminal and
// process group. It is not core::Child: a traced program goes on when its recorder is killed.
#pragma once

#include <sys/types.h>

#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::trace_tools {

class CommandProcess {
 public:
  // `variable`: one more of the environment, or "" for none. ERRORS: not found, not executable.
  static core::Result<CommandProcess> start(const std::vector<std::string>& words,
                                            const std::pair<std::string, std::string>& variable);

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.number(); }  // readable when it has ended
  bool ended();                                  // reaps it
  // Asks it to, and waits a moment. RETURNS: it has ended.
  bool end();
  // How it ended, unless by exit status 0: "ended with exit status 2", "was killed by signal 9". REQUIRES: ended().
  const std::optional<std::string>& failure() const { return end_; }
  // As a shell tells it: 128 + N when it was killed by signal N. REQUIRES: ended().
  int exit_status() const { return exit_status_; }

 private:
  CommandProcess() = default;
  pid_t pid_ = -1;
  base::Descriptor pidfd_;
  bool reaped_ = false;
  int exit_status_ = 0;
  std::optional<std::string> end_;
};

}  // namespace maxlat::trace_tools
