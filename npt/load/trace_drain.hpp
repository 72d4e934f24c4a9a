// SPDX-License-Identifier: MIT
//
// Takes the events out of a tracing instance of the kernel and writes them to a disk, a thread for each of its CPUs:
// what a consumer of a kernel's trace takes of the machine (Beamonte 2015, section 6). Nobody reads the files
// afterwards: they have no names, are gone with the object or with a killed process, and begin anew when they are long.
//
// A reader whose own calls are traced makes the events that it reads next: two calls for a page of them, and what the
// file system does in each. So the kernel leaves the threads out of the instance (set_event_notrace_pid, Linux 5.7),
// and with them what interrupts do while they run; what it does later to bring the files to the disk is traced.
#pragma once

#include <atomic>
#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/result.hpp>
#include <string>
#include <thread>
#include <vector>

namespace maxlat::npt {

class TraceDrain {
 public:
  static constexpr const char* kFolder = "/var/tmp";  // a disk, where /tmp may be memory

  TraceDrain() = default;
  TraceDrain(const TraceDrain&) = delete;
  TraceDrain& operator=(const TraceDrain&) = delete;
  ~TraceDrain() { stop(); }

  // `instance`: its folder. The threads keep off `measured_cpu` where they can. ERRORS: a file of it that cannot be
  // read, no file in `folder`.
  core::Status start(const std::string& instance, unsigned measured_cpu, const std::string& folder = kFolder);
  void stop();
  // relaxed, both: each is told alone.
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  bool is_traced_itself() const { return is_traced_itself_.load(std::memory_order_relaxed); }
  core::Status status() const;  // why it does not go on any more

 private:
  struct OfCpu {
    base::Descriptor trace, file;
  };
  void leave_this_thread_out();
  void drain(const std::stop_token& stopped, const OfCpu& cpu);
  // Whether there is more right now.
  bool take(const OfCpu& cpu, std::uint64_t& in_file);

  std::string folder_;
  base::Descriptor left_out_;  // takes the numbers of threads
  std::vector<OfCpu> cpus_;
  std::vector<std::jthread> threads_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<int> failure_{0};
  std::atomic<bool> is_traced_itself_{false};
};

}  // namespace maxlat::npt
