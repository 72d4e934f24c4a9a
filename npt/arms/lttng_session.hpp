// SPDX-License-Identifier: MIT
//
// A session daemon of LTTng with one recording session, for one run, beside whatever daemons the user has.
//
// PROBLEM   lttng-sessiond keeps its sockets in $LTTNG_HOME/.lttng, which a run can have for itself; but root's are
//           always in /var/run/lttng, where a daemon of the user's may be at work.
// IDEA      As root the daemon and its clients live in a mount namespace of their own, in which /run is an empty tmpfs.
//           Only the socket that traced programs connect to is outside of it: in our LTTNG_HOME, where liblttng-ust
//           looks for a daemon of its own user, root or not. So nothing is shared, and nothing is left: the namespace
//           ends with the daemon.
// LEFT OVER liblttng-ust makes /dev/shm/lttng-ust-wait-*, on which programs wait for a daemon to come. They are removed
//           with the folder, also when they were there before (two runs at a time: the last one must), but never while
//           another process has them mapped. One that nobody has mapped nobody waits on; LTTng makes a new one.
#pragma once

#include <chrono>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/npt/arm.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::npt {

class LttngSession {
 public:
  // Starts the daemon, makes session and channel, enables npt:* and starts tracing. Sets LTTNG_HOME in this process,
  // for the traced program that it is. ERRORS: Exit::cannot_run where LTTng or a namespace is not to be had.
  core::Status start(const ArmSurroundings& surroundings);

  // Of its daemons, so far. REQUIRES: start() succeeded.
  double cpu_seconds() const { return daemon_->cpu_seconds(); }

  struct End {
    uint64_t discarded = 0;  // events, as the session counted them
    std::string broken;      // what of LTTng did not live to the end
  };
  // Stops tracing, waits until all is on disk, and asks for the discarded events. The daemon ends.
  End stop();

 private:
  core::Status start_daemon(const ArmSurroundings& surroundings);
  core::Status wait_for_socket(const std::string& socket);
  core::Result<std::string> client(const std::vector<std::string>& words, std::chrono::seconds limit);

  std::optional<core::Child> daemon_;
};

}  // namespace maxlat::npt
