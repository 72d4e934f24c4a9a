// SPDX-License-Identifier: MIT
//
// Child processes: started without a shell, each in a process group of its own, watched through a pidfd, and never left
// behind.
//
// What "never left behind" takes: a Child that goes out of scope kills its whole group and reaps it. When the program
// ends by itself, what is left of its group (the workers of a load) is killed before it is reaped, while the group's
// number cannot belong to anyone else. When the thread that started it or our whole process dies, also by SIGKILL, the
// program gets PR_SET_PDEATHSIG; that signal does not reach grandchildren, so a guard process of a page or two waits
// for our end and kills the group. Only a descendant that leaves the group (setsid) escapes.
//
// The child starts clean: standard input from /dev/null, no descriptor but the standard three, no blocked signal,
// default handlers. It inherits scheduling policy and, where `cpus` is empty, affinity.
//
// COST: start() forks, which makes every page of the caller copy-on-write: the next write to each one faults. Do not
// start children in a process while it measures.
//
// THREADS: a Child belongs to the thread that started it, and dies with that thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace maxlat::core {

struct ProcessSpec {
  std::vector<std::string> argv;                                 // argv[0] is looked up in PATH
  CpuList cpus;                                                  // empty: inherited; a shield's: it goes in, whole
  std::string directory;                                         // empty: ours
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  enum class Output { inherit, discard, capture } standard_output = Output::discard, standard_error = Output::capture;
  size_t capture_limit = 1 << 20;  // of each stream; the rest is read and dropped
};

struct ProcessEnd {
  int exit_status = -1;  // of exit(), -1 when killed
  int signal = 0;        // that killed it, 0 when it exited
  std::string standard_output, standard_error;
  bool succeeded() const { return exit_status == 0; }
  std::string text() const;  // "ended with exit status 2", "was killed by signal 9 (Killed)"
};

class Child {
 public:
  // ERRORS: not found in PATH (Exit::cannot_run; hint: the Debian package where known), fork or exec failed (from the
  // child, by errno), a CPU or directory that cannot be had.
  static Result<Child> start(const ProcessSpec& spec);
  Child(Child&&) noexcept;
  Child& operator=(Child&&) noexcept;
  ~Child();

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.number(); }  // readable when it has ended: for poll()
  // Reads what the child wrote and waits up to `limit` for its end. Empty: still running.
  std::optional<ProcessEnd> wait_for(std::chrono::milliseconds limit);
  void signal(int number);  // to the whole group; nothing once it has ended
  // SIGTERM, then SIGKILL after `grace`. Always reaps. Gives the end again when it has ended already.
  ProcessEnd stop(std::chrono::milliseconds grace = std::chrono::seconds(2));
  // CPU time of the child and its waited-for descendants that are in its process group, in seconds.
  double cpu_seconds() const;

 private:
  Child() = default;
  void drain();
  void reap();
  void end_guard();
  pid_t pid_ = -1;
  pid_t guard_ = -1;
  base::Descriptor pidfd_;
  base::Descriptor out_, err_;
  size_t capture_limit_ = 0;
  double cpu_seconds_at_end_ = 0;
  ProcessEnd end_;
  bool reaped_ = true;
};

// Waits for the child's end, for a request to stop (stop.hpp), or for `until`, whichever is first. What the child
// writes is read meanwhile. Nothing: it is still running.
std::optional<ProcessEnd> wait_for_end_or_stop(Child& child, std::chrono::steady_clock::time_point until);

// Runs to the end or to the limit (then stops it: an Error).
Result<ProcessEnd> run_process(const ProcessSpec& spec, std::chrono::milliseconds limit);

// What a maxlat subcommand that failed said on standard error: "cannot set SCHED_FIFO 95: …" and its hint from
// "maxlat npt: cannot set …\nhint: …", where `program` is "maxlat npt"; how it ended when it said nothing. Its
// exit_status is cannot_run when the child's was.
Error error_of_child(const std::string& program, const ProcessEnd& end);

// Full path of a program in PATH or in /usr/sbin, empty when there is none.
std::string find_program(const std::string& name);
// Path of this executable, for starting our own subcommands.
std::string own_executable();
// argv quoted so that a shell would read it back, for "the command that made it".
std::string quote_command(const std::vector<std::string>& argv);

}  // namespace maxlat::core
