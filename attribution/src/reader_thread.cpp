// SPDX-License-Identifier: MIT
#include <sys/resource.h>
#include <unistd.h>

#include <maxlat/attribution/reader_thread.hpp>
#include <utility>

namespace maxlat::attribution {
namespace {

constexpr int kReadersNice = -10;  // it needs little

}  // namespace

void ReaderThread::start(std::function<bool()> read, std::chrono::milliseconds pause) {
  thread_ = std::thread([this, read = std::move(read), pause] { run(read, pause); });
}

void ReaderThread::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ReaderThread::run(const std::function<bool()>& read, std::chrono::milliseconds pause) {
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kReadersNice);
  std::unique_lock lock(mutex_);
  while (!ended_) {
    lock.unlock();
    const bool more = read();
    lock.lock();
    if (!more) wake_.wait_for(lock, pause, [this] { return ended_; });
  }
}

}  // namespace maxlat::attribution
