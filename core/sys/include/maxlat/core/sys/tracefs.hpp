// SPDX-License-Identifier: MIT
//
// The kernel's tracing folder: where it is, how a value is written, and an instance of our own in it.
//
// Own and shared. An instance has its own buffer, clock, events, tracer and CPU mask; nobody else uses them, and they
// end with the instance. Everything else exists once for the whole kernel (thresholds, the hwlat detector's mode,
// kprobes and uprobes): code that changes it must restore it.
//
// Nothing is mounted for others: where nobody has mounted tracefs, open_tracefs() has a mount that is in no folder.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace maxlat::core {

// Below a root. tracefs has a place of its own and an older one in debugfs.
inline constexpr const char* kTracefsPlaces[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

// The first place that can be read; empty: none. `root` is "/" in life, a folder in tests.
std::string find_tracefs(const std::string& root);
// Why there is none, and what to do.
std::string why_no_tracefs(const std::string& root);
// Where one can be read, for whoever records by it: that of find_tracefs(), or, where it is mounted nowhere, a mount of
// this process alone: a descriptor, which no other process sees or inherits, and which ends with this one
// (fsmount(2), Linux 5.2). Of "/" only. ERRORS: why_no_tracefs(), or the mount is not permitted (Exit::cannot_run).
Result<std::string> open_tracefs(const std::string& root);

// One write() of the whole value: tracefs takes each write as a command. Truncating is a command, too: it takes all
// uprobes and all of set_event away, so these are added to. ERRORS: the kernel's.
enum class TracefsWrite { replace, add };
Status write_tracefs(const std::string& file, const std::string& value, TracefsWrite how = TracefsWrite::replace);

// The selected word of a choice, "none [round-robin] per-cpu" -> "round-robin"; the only word when none is marked.
std::string_view selected_word(std::string_view choices);

class TraceInstance {
 public:
  // ERRORS: there is one of this name, not permitted.
  static Result<TraceInstance> make(const std::string& tracefs, const std::string& name);
  TraceInstance(TraceInstance&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TraceInstance& operator=(TraceInstance&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TraceInstance() { remove(); }
  // Stops its tracer, or the kernel would keep it. A file of it that is still open keeps it, too.
  void remove();

  const std::string& path() const { return path_; }
  // `name` is below the instance: "tracing_cpumask", "options/overwrite".
  Status set(const std::string& name, const std::string& value) const {
    return write_tracefs(path_ + "/" + name, value);
  }
  // Events so far: what is still in the buffer, what was read, what newer events took the place of, what found no room,
  // and what found the buffer come round to an event that was still being written.
  struct Counts {
    uint64_t kept = 0, read = 0, overwritten = 0, dropped = 0, overrun_writer = 0;
    // What nobody can read any more, nor could.
    uint64_t lost() const { return overwritten + dropped + overrun_writer; }
    uint64_t all() const { return kept + read + lost(); }
  };
  Counts counts() const;  // of all CPUs
  Counts counts_of(unsigned cpu) const;

 private:
  explicit TraceInstance(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Whether that name is `prefix` and the number of a process that is no more.
bool is_of_the_dead(std::string_view name, std::string_view prefix);

// An instance of a killed process goes on: its tracer may have interrupts off, and keeps others from it. Removes those
// named `prefix` and the number of a process that is no more.
void remove_instances_of_the_dead(const std::string& tracefs, std::string_view prefix);

}  // namespace maxlat::core
