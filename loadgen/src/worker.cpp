// SPDX-License-Identifier: MIT
#include "worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <maxlat/core/sys/realtime.hpp>
#include <utility>

namespace maxlat::loadgen {
namespace {

// How long a worker that cleans up may take over it, and how long a killed process may take to die (it may be waiting
// for a disk). Beyond that we go on without it: a supervisor that hangs loses the whole run.
constexpr std::chrono::seconds kKillGrace{5};

volatile sig_atomic_t terminate_flag = 0;
void on_terminate(int) {
  terminate_flag = 1;
}

void set_reason(WorkerSlot& slot, const core::Error& error) {
  const std::string text = error.hint.empty() ? error.text : error.text + " (" + error.hint + ")";
  std::snprintf(slot.reason, sizeof slot.reason, "%s", text.c_str());
}

// Undoes in the child what it must not inherit: handlers, blocked signals, files, real-time scheduling.
core::Status become_worker(const WorkerSpec& spec, pid_t parent) {
  setpgid(0, 0);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGPIPE}) signal(number, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  if (spec.cleans_up) {
    struct sigaction action {};
    action.sa_handler = on_terminate;  // without SA_RESTART: a wait ends when it comes
    sigaction(SIGTERM, &action, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);

  prctl(PR_SET_PDEATHSIG, spec.cleans_up ? SIGTERM : SIGKILL);
  if (getppid() != parent) _exit(0);  // it died before the line above took effect

  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  close_range(3, ~0u, 0);

  prctl(PR_SET_NAME, spec.name.c_str());
  if (auto set = core::set_scheduling({.policy = core::Policy::other, .priority = 0}); !set) return set;
  return core::set_affinity(spec.cpus);
}

[[noreturn]] void run_worker(const WorkerSpec& spec, WorkerSlot& slot, pid_t parent) {
  core::Status status = become_worker(spec, parent);
  if (status) status = spec.work(slot);
  if (!status) set_reason(slot, status.error());
  _exit(status ? 0 : 1);
}

}  // namespace

bool termination_requested() {
  return terminate_flag != 0;
}

core::Result<Worker> Worker::start(const WorkerSpec& spec) {
  Worker worker;
  worker.cleans_up_ = spec.cleans_up;
  if (spec.cpus.size() == 1) worker.where_ = fmt::format(" on CPU {}", spec.cpus.front());
  void* page = mmap(nullptr, sizeof(WorkerSlot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return core::system_error("cannot map a page for a load's progress", errno);
  worker.slot_ = new (page) WorkerSlot{};

  std::fflush(nullptr);  // nothing buffered may be written twice
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return core::system_error("cannot start a load's process", errno);
  if (pid == 0) run_worker(spec, *worker.slot_, parent);
  setpgid(pid, pid);  // in both, so that the group exists for whoever comes first
  worker.pid_ = pid;
  worker.reaped_ = false;
  return worker;
}

Worker::Worker(Worker&& other) noexcept {
  *this = std::move(other);
}

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(cleans_up_, other.cleans_up_);
  std::swap(reaped_, other.reaped_);
  std::swap(wait_status_, other.wait_status_);
  std::swap(where_, other.where_);
  std::swap(slot_, other.slot_);
  return *this;
}

Worker::~Worker() {
  request_stop();
  finish_stop(std::chrono::steady_clock::now() + kKillGrace);
  if (slot_ != nullptr) munmap(slot_, sizeof *slot_);
}

Worker::Counts Worker::counts() const {
  // relaxed: see the page's description
  Counts counts;
  if (const int64_t ns = slot_->counted_at_ns.load(std::memory_order_relaxed); ns > 0)
    counts.counted_at.emplace(std::chrono::nanoseconds(ns));
  counts.work = slot_->work.load(std::memory_order_relaxed);
  counts.rounds = slot_->rounds.load(std::memory_order_relaxed);
  return counts;
}

bool Worker::reap() {
  if (reaped_) return true;
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) return false;
  kill_groups();  // what it had started ends with it; before the wait below, which gives its number free
  waitpid(pid_, &wait_status_, 0);
  reaped_ = true;
  return true;
}

void Worker::kill_groups() const {
  kill(-pid_, SIGKILL);
  // relaxed: see the page's description
  if (const pid_t foreign = slot_->foreign_group.load(std::memory_order_relaxed); foreign > 0) kill(-foreign, SIGKILL);
}

std::optional<std::string> Worker::poll_end() {
  if (!reap()) return std::nullopt;
  if (WIFSIGNALED(wait_status_))
    return fmt::format("worker{} was killed by signal {} ({})", where_, WTERMSIG(wait_status_),
                       strsignal(WTERMSIG(wait_status_)));
  slot_->reason[sizeof slot_->reason - 1] = '\0';
  if (slot_->reason[0] != '\0') return std::string(slot_->reason);
  return fmt::format("worker{} ended with exit status {}", where_, WEXITSTATUS(wait_status_));
}

void Worker::request_stop() {
  if (reaped_) return;
  if (cleans_up_) {
    kill(pid_, SIGTERM);
  } else {
    kill(-pid_, SIGKILL);
  }
}

void Worker::finish_stop(std::chrono::steady_clock::time_point deadline) {
  for (const bool by_force : {false, true}) {
    if (by_force && !reaped_) {
      kill_groups();
      deadline = std::chrono::steady_clock::now() + kKillGrace;
    }
    while (!reap() && std::chrono::steady_clock::now() < deadline) poll(nullptr, 0, 5);
  }
  reaped_ = true;
}

}  // namespace maxlat::loadgen
