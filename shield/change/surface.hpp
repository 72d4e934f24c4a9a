// SPDX-License-Identifier: MIT
//
// The machine as a shield changes it: files of /proc, /sys and the cgroup hierarchies, folders there, and the CPUs that
// threads may use. Whatever a shield does to a machine goes through here, so a test can look at every change, refuse
// any of them, and end the process between any two.
//
// In life the root is "/". Tests give it a folder, and threads on paper.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/machine/tasks.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <vector>

namespace maxlat::shield {

class Surface {
 public:
  explicit Surface(core::MachineView view) : view_(std::move(view)) {}
  virtual ~Surface() = default;
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  const core::MachineView& view() const { return view_; }
  std::string path_of(const std::string& path) const { return view_.root + path; }

  // One write(2) of the value and a newline. ERRORS: the kernel's own, "cannot write PATH: invalid argument".
  virtual core::Status write(const std::string& path, const std::string& value);
  virtual core::Status make_folder(const std::string& path);  // ERRORS: also when there is one already
  virtual int remove_folder(const std::string& path);         // RETURNS: 0, also when it was gone, or errno
  virtual core::Status mount(const std::string& kind, const std::string& place);  // a file system of the kernel's
  virtual core::Status unmount(const std::string& place);
  virtual bool remove_file(const std::string& path);  // RETURNS: whether there was one
  bool has_systemd() const;                           // as process 1
  // REQUIRES: has_systemd(). Looks, or changes: what it prints. ERRORS: systemd refuses, or does not answer.
  virtual core::Result<std::string> systemctl(std::vector<std::string> arguments) const;

  virtual core::Status set_affinity(pid_t task, const core::CpuList& cpus);
  virtual core::Status signal(pid_t process, int number);
  // Threads that may have moved CPUs, with the CPUs that each may use.
  virtual std::vector<core::Task> tasks() const { return core::tasks_of(view_); }

  std::string boot_id() const;  // empty when the kernel does not tell
  core::CpuList online() const;

 private:
  core::MachineView view_;
};

}  // namespace maxlat::shield
