// SPDX-License-Identifier: MIT
#include "session/fork.hpp"

#include <pthread.h>
#include <signal.h>
#include <urcu-bp.h>

#include <memory>

#include "session/control_lock.hpp"
#include "session/session_core.hpp"

namespace maxlat::trace::detail {
namespace {

// From before the fork until after it, in both processes; the control lock is theirs.
sigset_t signals_before;
bool busy_before;

void block_signals(sigset_t* signals) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, signals);
}

void let_go() {
  thread_state.busy = busy_before;
  const sigset_t signals = signals_before;
  control_change_mutex.unlock();
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
}

void before() {
  sigset_t signals;
  block_signals(&signals);
  control_change_mutex.lock();
  signals_before = signals;
  busy_before = thread_state.busy;
  thread_state.busy = true;
  lock_control_for_fork();
  urcu_bp_before_fork();  // before the list, which threads leave under liburcu's read lock
  lock_threads_for_fork();
}

void after_in_parent() {
  unlock_threads_after_fork(false);
  urcu_bp_after_fork_parent();
  unlock_control_after_fork();
  let_go();
}

void after_in_child() {
  unlock_threads_after_fork(true);
  urcu_bp_after_fork_child();
  forget_sessions();
  unlock_control_after_fork();
  forget_control();
  std::construct_at(&control_mutex);  // another thread's call may have been waiting, which is not here
  let_go();
}

}  // namespace

constinit std::mutex control_mutex;
constinit std::mutex control_change_mutex;

void watch_forks() {
  pthread_atfork(before, after_in_parent, after_in_child);
}

}  // namespace maxlat::trace::detail
