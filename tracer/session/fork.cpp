// SPDX-License-Identifier: MIT
#include "session/fork.hpp"

#include <pthread.h>
#include <signal.h>
#include <urcu-bp.h>

#include "session/control_lock.hpp"
#include "session/events.hpp"
#include "session/live_channels.hpp"
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
  control_mutex.unlock();
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
}

void before() {
  sigset_t signals;
  block_signals(&signals);
  control_mutex.lock();
  signals_before = signals;
  busy_before = thread_state.busy;
  thread_state.busy = true;
  lock_threads_for_fork();
  urcu_bp_before_fork();
}

void after_in_parent() {
  urcu_bp_after_fork_parent();
  unlock_threads_after_fork(false);
  let_go();
}

void after_in_child() {
  urcu_bp_after_fork_child();
  unlock_threads_after_fork(true);
  for (Event* event = first_event(); event != nullptr; event = event->next) lead_nowhere(*event);
  forget_all_channels();
  for (const auto& session : sessions()) session->forget();
  sessions().clear();
  forget_control();
  let_go();
}

}  // namespace

constinit std::mutex control_mutex;

void watch_forks() {
  static const int watching = pthread_atfork(before, after_in_parent, after_in_child);
  (void)watching;
}

}  // namespace maxlat::trace::detail
