// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <maxlat/attribution/trace_mark.hpp>
#include <maxlat/core/sys/tracefs.hpp>

namespace maxlat::attribution {
namespace {

// The kernel makes one event of each write, and takes 4 KiB of it.
int write_whole(const base::Descriptor& file, std::string_view text) {
  if (::write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return 0;
  return errno;
}

std::string reason(const char* what, int failure) {
  // The kernel's answer to a mark in a trace that is off.
  return fmt::format("{}: {}", what, failure == EBADF ? "its tracing_on was 0 already" : std::strerror(failure));
}

}  // namespace

core::Result<std::unique_ptr<TraceMark>> TraceMark::open(const std::string& root, const std::string& instance) {
  const std::string tracefs = core::find_tracefs(root);
  if (tracefs.empty()) return core::cannot_run(core::why_no_tracefs(root));
  std::string where = tracefs;
  if (!instance.empty()) {
    where += "/instances/" + instance;
    const bool is_a_name = instance.find('/') == std::string::npos && instance != "." && instance != "..";
    if (!is_a_name || ::access(where.c_str(), F_OK) != 0)
      return core::Error{
          fmt::format("there is no trace instance '{}'", instance),
          fmt::format("mkdir {}/instances/NAME makes one; without a name it is the kernel's own trace", tracefs)};
  }
  base::Descriptor files[2];
  const char* const names[2] = {"/trace_marker", "/tracing_on"};
  for (size_t i = 0; i < 2; ++i) {
    files[i] = base::Descriptor(::open((where + names[i]).c_str(), O_WRONLY | O_CLOEXEC));
    if (files[i]) continue;
    core::Error error =
        core::system_error("cannot open " + where + names[i], errno, "needs root, and a kernel with ftrace");
    error.exit_status = core::Exit::cannot_run;
    return error;
  }
  return std::unique_ptr<TraceMark>(new TraceMark(std::move(where), std::move(files[0]), std::move(files[1])));
}

void TraceMark::strike(std::string_view text) noexcept {
  if (struck_.exchange(true, std::memory_order_relaxed)) return;  // relaxed: only one writes
  marker_failure_ = write_whole(marker_, text);
  on_failure_ = write_whole(on_, "0");
}

std::string TraceMark::told() const {
  if (!struck()) return fmt::format("none: the limit was not exceeded, and the trace in {} goes on", where_);
  return failure().empty() ? fmt::format("in {}, where tracing was stopped", where_) : failure();
}

std::string TraceMark::failure() const {
  if (marker_failure_ != 0) return reason(("cannot write the mark into " + where_).c_str(), marker_failure_);
  if (on_failure_ != 0) return reason(("cannot stop the trace in " + where_).c_str(), on_failure_);
  return "";
}

}  // namespace maxlat::attribution
