// SPDX-License-Identifier: MIT
//
// Where a run lives on disk, and the one rule about it: whatever was measured is there before the next phase begins.
//
//   DIR/result.json           the run so far; replaced as a whole after each phase
//   DIR/report.html           at the end
//   DIR/kernel-config         the configuration of the kernel that was measured, where there is one to read
//   DIR/phases/NN-name.json   what each meter wrote itself; while it runs, its last snapshot
//   DIR/phases/….interrupted  the snapshot of a phase that was killed, kept when the phase is measured again
//   DIR/lock                  held (flock) while a run works here, so two cannot; the kernel drops it when we die
#pragma once

#include <maxlat/base/owned.hpp>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::rteval_ext {

class RunDirectory {
 public:
  // A new run: makes the directory. ERRORS: holds a run already (hint: --resume), in use, cannot be written.
  static core::Result<RunDirectory> create(const std::string& path);
  // An earlier run. ERRORS: not a run, in use.
  static core::Result<RunDirectory> open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string result_path() const { return path_ + "/result.json"; }
  std::string report_path() const { return path_ + "/report.html"; }
  // The file of the step's meter; a file that an earlier attempt left there is moved to ….interrupted first.
  std::string fresh_phase_path(size_t number, const std::string& name) const;

  core::Result<core::RunResult> read() const { return core::read_run(result_path()); }
  core::Status write(const core::RunResult& run) const;
  // A run that is refused leaves nothing behind: of a new one all goes that holds no result, of an earlier one what
  // open() made in it.
  void remove_unused() const;
  core::Status write_kernel_config(const std::string& text) const;

 private:
  RunDirectory(std::string path, base::Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;  // absolute
  base::Descriptor lock_;
  std::vector<std::string> made_;  // by open()
};

}  // namespace maxlat::rteval_ext
