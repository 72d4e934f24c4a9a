// SPDX-License-Identifier: MIT
//
// What `maxlat trace record` has under way: the processes that it records, each with its session, its connection and
// its place in the recorder thread.
//
// A PROCESS comes by calling home or because it was asked for (-p); its session "record" is made there, or taken over
// from a recorder that died; a session of another name may be the program's own. It goes when it ends, when it executes
// another program (which then calls anew), or with the recording; its books are then added to the recording's.
#pragma once

#include <poll.h>

#include <list>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/trace/control_client.hpp>
#include <maxlat/trace/description.hpp>
#include <maxlat/trace/recorder.hpp>
#include <string>
#include <utility>
#include <vector>

#include "read/seen_events.hpp"
#include "recorded_channel.hpp"

namespace maxlat::trace_tools {

// The session that belongs to recorders: one that finds it takes it over, and destroys it in the end.
inline constexpr const char* kOwnSession = "record";
inline constexpr const char* kRecordCommand = "maxlat trace record";

struct RecordingOptions {
  std::string session = kOwnSession;
  std::vector<RecordedChannel> channels;
  trace::RecorderOptions recorder;
  bool quiet = false;                    // report() says nothing but errors and losses
  std::string command = kRecordCommand;  // that says it; another one has other options to be told of
};

class Recording {
 public:
  explicit Recording(RecordingOptions options) : options_(std::move(options)) {}

  // Begins with this process. `waits`: it stands before its main() until it is told to go on.
  core::Status add(trace::ControlConnection connection, bool waits);

  // For poll(): one of each process, readable when it is gone; in the order of processes.
  std::vector<pollfd> watched() const;
  // Ends the processes whose connection is gone; `watched` is what poll() made of it.
  void end_those_gone(const std::vector<pollfd>& watched);
  void request_snapshot() { thread_.request_snapshot(); }
  // Stops every session, takes the rest.
  void end_all();

  std::size_t processes_seen() const { return seen_; }
  // What became of the kernel's events, for report().
  void add_kernel(const char* backend, trace::RecordingReport report) {
    kernel_backend_ = backend;
    ended_.push_back({kKernel, std::move(report), false});
  }

  // REQUIRES: end_all() was called. For a result. What rings that overwrite do not have any more is no loss of theirs.
  core::EventCounts counts() const;
  // REQUIRES: the same. Says what was recorded and what was not. RETURNS: pass, or invalid when the trace is not
  // complete.
  core::Exit report() const;

 private:
  static constexpr const char* kKernel = "kernel";

  struct Process {
    trace::ControlConnection connection;
    int pid;
    std::string name;
    trace::RecorderThread::Id recorder;
    base::Descriptor memory;  // the memfd, to see whether a process without a connection still has it
    base::Descriptor pidfd;
    bool found;   // the session is the program's own: stopped in the end, not destroyed
    bool orphan;  // no connection, but the process still writes
  };

  // How the program came to its session.
  struct Origin {
    bool made = false;   // by us, now
    bool found = false;  // it is the program's own
  };
  // RETURNS: the request that hands over its memory.
  core::Result<std::string> make_session(trace::ControlConnection& connection, Origin& origin) const;
  void see_events(trace::ControlConnection& connection);
  bool warn_of_patterns_without_events() const;
  void end(Process& process, bool stop);
  void tell_losses(const std::string& who, const trace::ChannelBooks& books) const;
  template <class... Values>
  void tell(fmt::format_string<Values...> format, Values&&... values) const {
    core::tell("{}: {}", options_.command, fmt::format(format, std::forward<Values>(values)...));
  }

  RecordingOptions options_;
  trace::RecorderThread thread_;
  std::list<Process> processes_;
  std::size_t seen_ = 0;
  SeenEvents events_;  // of programs that were asked for our patterns
  struct Ended {
    std::string who;
    trace::RecordingReport report;
    bool in_doubt;  // it runs, and did not say that it stopped: events may come after the books
  };
  std::vector<Ended> ended_;
  const char* kernel_backend_ = nullptr;
};

}  // namespace maxlat::trace_tools
