// SPDX-License-Identifier: MIT
//
// A tracing instance of the kernel for one run (core/sys/tracefs.hpp), so that whatever else is being traced on this
// machine goes on untouched. One that was killed leaves it to the arm's folder to be removed.
//
// Where tracefs is not mounted it is mounted in the arm's folder, for us alone: everything is in the folder's journal
// before it is made, and the journal names paths, which must hold when this process is dead. The mount of
// core::open_tracefs() ends with the process. Events of ours that are to be in the instance are made before it
// (add_uprobe): they can only be removed when nothing has them enabled any more, that is, after it.
#pragma once

#include <cstdint>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <optional>
#include <string>

#include "arm_folder.hpp"

namespace maxlat::npt {

class TracefsInstance {
 public:
  // ERRORS: no tracefs in this kernel, or not for us (Exit::cannot_run).
  core::Status find(const ArmFolder& folder);
  // "p:GROUP/EVENT PATH:OFFSET ...", after find(). ERRORS: no uprobes here (Exit::cannot_run).
  core::Status add_uprobe(const ArmFolder& folder, const std::string& group, const std::string& event,
                          const std::string& place);
  // Makes the instance; its buffer holds `buffer_bytes` for each CPU, and drops what does not fit.
  core::Status make(const ArmFolder& folder, uint64_t buffer_bytes);
  core::Status enable(const std::string& event_path);  // "GROUP/EVENT" or "GROUP"
  core::Status enable_all();                           // that the kernel has
  core::Status keep_the_newest();                      // from now on; before: what does not fit is dropped
  core::Status stop();

  // REQUIRES: make()
  const std::string& path() const { return instance_->path(); }
  // Of all CPUs: events that are not in the trace; 0 before make().
  uint64_t lost() const { return instance_ ? instance_->counts().lost() : 0; }
  // Events that the kernel made so far, kept or not, all CPUs; 0 before make().
  uint64_t seen() const;
  // Copies the trace as text and counts its events.
  core::Result<uint64_t> save(const std::string& file) const;

 private:
  core::Status set(const std::string& name, const std::string& value);
  std::string root_;
  std::optional<core::TraceInstance> instance_;
};

}  // namespace maxlat::npt
