// SPDX-License-Identifier: MIT
//
// The kernel's hwlat tracer as something that is set up, read back, and put back as it was.
//
// Own and shared state. The trace buffer, current_tracer and tracing_cpumask are those of an instance of our own
// (instances/maxlat-PID; core/sys/tracefs.hpp). But mode, width, window and tracing_thresh exist once in the kernel,
// whoever uses the tracer: their old values are kept and written back. Only one instance in the system may run hwlat at
// a time.
//
// What is written is read back: on some kernels the mode silently falls to "none", and then one CPU is watched and the
// others are not. That is an error here.
//
// ROOT: all paths are below a root ("/" in life, a folder in tests).
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <string>
#include <utility>
#include <vector>

#include "backend.hpp"

namespace maxlat::hwlat {

// The tracefs below `root`; empty when it has no hwlat tracer that we can use, and `why` says the reason.
std::string find_hwlat_tracer(const std::string& root, std::string& why);

class TracerSession {
 public:
  // Sets everything up and starts the tracer. ERRORS: not permitted, another instance has it (hint), a value that does
  // not read back.
  static core::Result<TracerSession> start(const std::string& tracefs, const Settings& settings);
  TracerSession(TracerSession&&) noexcept = default;
  TracerSession& operator=(TracerSession&&) = delete;
  ~TracerSession();  // stops the tracer, writes the old values back, removes the instance

  std::string pipe_path() const { return instance_.path() + "/trace_pipe"; }
  const std::string& mode() const { return mode_; }

 private:
  TracerSession(std::string tracefs, core::TraceInstance instance)
      : tracefs_(std::move(tracefs)), instance_(std::move(instance)) {}
  core::Status configure(const Settings& settings);
  core::Status set_shared(const std::string& name, const std::string& value);

  std::string tracefs_;
  core::TraceInstance instance_;
  std::string mode_;
  std::vector<std::pair<std::string, std::string>> old_values_;  // path and value, in the order they were changed
};

}  // namespace maxlat::hwlat
