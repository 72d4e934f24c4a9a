// SPDX-License-Identifier: MIT
//
// The tracing sessions of the programs whose sensors are recorded (`maxlat sensors record --session`): into the same
// folder, so that who reads it has the events of lists and of sessions in one order of time.
//
// WHY NOT READ-ONLY, as a ring in a group is read (maxlat/sensors/trace_ring.hpp): a session's ring that discards drops
// new events until a consumer has taken the old ones, and the books of a ring are its one consumer's. So this is the
// consumer that `maxlat trace record` is (recording.hpp), in a thread of its own.
//
// PROGRAMS that run are asked at their control sockets; one that does not listen yet is asked again at each look. Those
// that a command starts call, and wait before main() until their session runs.
#pragma once

#include <poll.h>

#include <map>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/trace/control_client.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/recording.hpp"
#include "sensors/chosen_sensors.hpp"

namespace maxlat::trace_tools {

class TracedSessions {
 public:
  TracedSessions(const std::string& directory, const std::string& session, bool quiet);

  // For a command that is started then. RETURNS: a variable for its environment.
  core::Result<std::pair<std::string, std::string>> await_calls();
  // Of running programs: those that are new, or did not listen before. A program that does not answer holds this up for
  // kControlPatience, once.
  void look(const ChosenSensors& chosen);
  // For poll(), and what it made of it.
  std::vector<pollfd> watched() const;
  void take(const std::vector<pollfd>& watched);
  // Stops every session, takes the rest.
  void end();

  bool any() const { return recording_.processes_seen() != 0; }
  // REQUIRES: end() was called.
  core::EventCounts counts() const { return recording_.counts(); }
  // REQUIRES: the same. Says what was recorded and what was not. RETURNS: nothing is missing.
  bool report() const;

 private:
  void add(trace::ControlConnection connection, bool waits);

  Recording recording_;
  std::string session_;
  std::optional<trace::ControlListener> listener_;
  // Programs that were looked at: their numbers alone come again. Why there is no connection yet; empty: there was one.
  std::map<std::pair<int, std::uint64_t>, std::string> programs_;
  bool refused_ = false;
};

}  // namespace maxlat::trace_tools
