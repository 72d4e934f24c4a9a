// SPDX-License-Identifier: MIT
#include "session/threads.hpp"

#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <maxlat/trace/current_cpu.hpp>

#include "session/control_lock.hpp"
#include "session/fork.hpp"

namespace maxlat::trace::detail {

namespace {

constexpr std::uint64_t no_words[4] = {};  // as many as a ring's hot line begins with

// Nobody stores through it: what looks like the common case to reserve.h is what stores.
constexpr maxlat_ring make_nowhere() {
  maxlat_ring ring{};
  ring.write_count = const_cast<std::uint64_t*>(no_words);
  return ring;
}

}  // namespace

constinit const maxlat_ring nowhere = make_nowhere();
constinit thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

namespace {

pthread_mutex_t list_lock;  // made by before_all_others()
ThreadState* list = nullptr;
std::uint64_t round_of_waiting = 0;
constexpr pthread_key_t kNoKey = PTHREAD_KEYS_MAX;
pthread_key_t end_of_thread = kNoKey;
bool membarrier_works = false;

// REQUIRES: signals blocked.
class ListHeld {
 public:
  ListHeld() {
    pthread_mutex_lock(&list_lock);
    thread_state.has_list = true;
  }
  ~ListHeld() {
    thread_state.has_list = false;
    pthread_mutex_unlock(&list_lock);
  }
  ListHeld(const ListHeld&) = delete;
  ListHeld& operator=(const ListHeld&) = delete;
};

class ListLock {
  SignalsBlocked no_signals_;
  ListHeld held_;
};

void make_list_lock() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&list_lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

void link(ThreadState& thread) {
  thread.previous = nullptr;
  thread.next = list;
  if (list != nullptr) list->previous = &thread;
  list = &thread;
}

void unlink(ThreadState& thread) {
  (thread.previous != nullptr ? thread.previous->next : list) = thread.next;
  if (thread.next != nullptr) thread.next->previous = thread.previous;
}

void leave_list() {
  const ListLock lock;
  ThreadState& thread = thread_state;
  unlink(thread);
  thread.registered = false;
  thread.cpu = &kNoCpu;
}

// The key's value counts down the rounds in which POSIX calls destructors; this acts in the last but two. Behind it
// comes liburcu's own, once more, because of the read lock taken here, and then ThreadSanitizer's, after which a thread
// cannot run instrumented code.
constexpr std::uintptr_t kRounds = PTHREAD_DESTRUCTOR_ITERATIONS - 2;

void thread_ends(void* rounds_left) {
  const auto left = reinterpret_cast<std::uintptr_t>(rounds_left);
  if (left > 1 && pthread_setspecific(end_of_thread, reinterpret_cast<void*>(left - 1)) == 0) return;
  const Busy busy;
  thread_state.ended = true;
  end_rings_of_this_thread(&leave_list);
}

// Not in the order of static constructors: so that the key is one of the first, that the program's own handlers of
// forks run before ours in the parent and after ours in the child, and that no event can come before the lock.
[[gnu::constructor(101)]] void before_all_others() {
  make_list_lock();
  if (pthread_key_create(&end_of_thread, thread_ends) != 0) end_of_thread = kNoKey;
  watch_forks();
}

// How many keys have their values in the thread itself: glibc's PTHREAD_KEY_2NDLEVEL_SIZE.
constexpr pthread_key_t kKeysInTheThread = 32;

// Without membarrier: taking a right away from a page that all threads may have used makes the kernel interrupt every
// CPU that runs one of them, and an interrupt is a barrier. True of x86, but for AMD's broadcast invalidation, which
// sends none: Linux uses that since 6.15, and has had membarrier since 4.14. Elsewhere there is membarrier as well.
// The test tracer.without_membarrier runs the sessions on this.
void barrier_by_page_table() {
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  *static_cast<volatile char*>(page) = 1;
  mprotect(page, size, PROT_READ);
  munmap(page, size);
}

// [K1]: every running thread executes a full barrier between two of its instructions. Partner: enter() in thread.hpp.
void barrier_in_every_thread() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!membarrier_works || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    barrier_by_page_table();
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

bool all_seen_outside(std::uint64_t round) {
  const ListLock lock;
  bool all = true;
  for (ThreadState* thread = list; thread != nullptr; thread = thread->next) {
    if (thread->seen_outside == round) continue;
    // acquire [K2]: see leave() in thread.hpp.
    if (__atomic_load_n(&thread->inside, __ATOMIC_ACQUIRE) == 0) {
      thread->seen_outside = round;
    } else {
      all = false;
    }
  }
  return all;
}

}  // namespace

int patience_seconds = 10;

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}
SignalsBlocked::~SignalsBlocked() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void make_ready_for_threads() {
  static const bool ready = [] {
    return membarrier_works = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  }();
  (void)ready;
}

bool register_thread(Caller caller) {
  ThreadState& thread = thread_state;
  if (thread.registered) return true;
  if (thread.ended || end_of_thread == kNoKey) return false;
  if (caller == Caller::probe && end_of_thread >= kKeysInTheThread) return false;
  const Busy busy;
  if (thread.registered) return true;  // by a handler, meanwhile
  if (pthread_setspecific(end_of_thread, reinterpret_cast<void*>(kRounds)) != 0) return false;
  const ListHeld held;
  link(thread);
  thread.registered = true;
  if (const volatile std::uint32_t* cpu = word_of_current_cpu()) thread.cpu = cpu;
  return true;
}

Guest::Guest() : entered_(!thread_state.registered && !thread_state.has_list) {
  if (!entered_) return;
  const ListHeld held;
  link(thread_state);
}
Guest::~Guest() {
  if (!entered_) return;
  const ListHeld held;
  unlink(thread_state);
}

bool wait_until_all_outside() {
  barrier_in_every_thread();
  std::uint64_t round = 0;
  {
    const ListLock lock;
    round = ++round_of_waiting;
  }
  constexpr long kPauseNs = 50'000;
  timespec start{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (!all_seen_outside(round)) {
    const ControlRests fork_may_pass;
    const timespec pause{0, kPauseNs};
    nanosleep(&pause, nullptr);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - start.tv_sec > patience_seconds) return false;
  }
  return true;
}

void forget_rings(unsigned channel) {
  const ListLock lock;
  for (ThreadState* thread = list; thread != nullptr; thread = thread->next) {
    ring_place(*thread, channel) = &nowhere;
    thread->refused[channel] = 0;
  }
}

void forgive_refusals(unsigned channel) {
  const ListLock lock;
  for (ThreadState* thread = list; thread != nullptr; thread = thread->next) thread->refused[channel] = 0;
}

std::uint32_t prepared_thread_without_ring(unsigned channel) {
  const ListLock lock;
  for (ThreadState* thread = list; thread != nullptr; thread = thread->next) {
    if (thread->prepared && ring_place(*thread, channel) == &nowhere) return thread->id;
  }
  return 0;
}

bool give_ring_to(std::uint32_t thread_id, unsigned channel, const maxlat_ring* ring) {
  const ListLock lock;
  for (ThreadState* thread = list; thread != nullptr; thread = thread->next) {
    if (!thread->prepared || thread->id != thread_id || ring_place(*thread, channel) != &nowhere) continue;
    ring_place(*thread, channel) = ring;
    return true;
  }
  return false;
}

bool any_thread_is_prepared() {
  const ListLock lock;
  for (const ThreadState* thread = list; thread != nullptr; thread = thread->next) {
    if (thread->prepared) return true;
  }
  return false;
}

void mark_as_prepared() {
  const ListLock lock;
  thread_state.id = static_cast<std::uint32_t>(syscall(SYS_gettid));
  thread_state.prepared = true;
}

// The child's thread bears another id than the one that took the lock: the lock is made anew.
void lock_threads_for_fork() {
  pthread_mutex_lock(&list_lock);
  thread_state.has_list = true;
}

void unlock_threads_after_fork(bool in_child) {
  thread_state.has_list = false;
  if (in_child) {
    ThreadState& thread = thread_state;
    list = thread.registered ? &thread : nullptr;
    thread.id = static_cast<std::uint32_t>(syscall(SYS_gettid));
    thread.next = nullptr;
    thread.previous = nullptr;
    pthread_mutex_unlock(&list_lock);  // refused: the lock is the parent's thread's. For checkers that follow locks.
    make_list_lock();
  } else {
    pthread_mutex_unlock(&list_lock);
  }
}

}  // namespace maxlat::trace::detail
