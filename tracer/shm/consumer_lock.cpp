// SPDX-License-Identifier: MIT
#include "consumer_lock.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace maxlat::trace {
namespace {

// Held around a fork, so that no descriptor is opened between the list's two sides of it.
pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
ConsumerLock* list = nullptr;

// Signals are blocked: a handler that forks while its thread has the list would wait for itself.
class ListHeld {
 public:
  ListHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    pthread_mutex_lock(&list_lock);
  }
  ~ListHeld() {
    pthread_mutex_unlock(&list_lock);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  ListHeld(const ListHeld&) = delete;
  ListHeld& operator=(const ListHeld&) = delete;

 private:
  sigset_t before_;
};

void before_fork() {
  pthread_mutex_lock(&list_lock);
}
void after_fork_in_parent() {
  pthread_mutex_unlock(&list_lock);
}

}  // namespace

// In the child. An unlock would be the parent's, too; to close is not.
void forget_consumer_locks() {
  for (ConsumerLock* lock = list; lock != nullptr; lock = lock->next_) {
    if (lock->file_ >= 0) close(std::exchange(lock->file_, -1));
  }
  pthread_mutex_unlock(&list_lock);
}

ConsumerLock::ConsumerLock() {
  static const int watched = pthread_atfork(before_fork, after_fork_in_parent, forget_consumer_locks);
  (void)watched;
  const ListHeld held;
  next_ = list;
  if (list != nullptr) list->previous_ = this;
  list = this;
}

ConsumerLock::~ConsumerLock() {
  const ListHeld held;
  (previous_ != nullptr ? previous_->next_ : list) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  if (file_ < 0) return;
  // Given back, not only closed: somebody may have a copy of the descriptor that we do not know of.
  struct flock place {};
  place.l_type = F_UNLCK;
  place.l_whence = SEEK_SET;
  place.l_len = 1;
  fcntl(file_, F_OFD_SETLK, &place);
  close(file_);
}

base::Result<bool> ConsumerLock::take(int memory_fd) {
  const ListHeld held;
  if (file_ < 0) file_ = open(("/proc/self/fd/" + std::to_string(memory_fd)).c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) return base::system_error("cannot open the session's memory", errno);
  struct flock place {};
  place.l_type = F_WRLCK;
  place.l_whence = SEEK_SET;
  place.l_len = 1;
  if (fcntl(file_, F_OFD_SETLK, &place) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return base::system_error("cannot lock the session's memory", errno);
}

}  // namespace maxlat::trace
