// SPDX-License-Identifier: MIT
//
// The thread that empties the kernel's buffers, which wait for nobody: it goes before the loads of its CPUs (nice -10),
// and looks again at once where there may be more.
//
// THREADS: start() and end() by one. What `read` touches is the reader's own from start() to the return of end().
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace maxlat::attribution {

class ReaderThread {
 public:
  ReaderThread() = default;
  ReaderThread(const ReaderThread&) = delete;
  ReaderThread& operator=(const ReaderThread&) = delete;
  ~ReaderThread() { end(); }

  // `read` is called again after `pause`, or at once when it says that there may be more. Once.
  void start(std::function<bool()> read, std::chrono::milliseconds pause);
  // `read` is not called any more when it returns. Again, or without a start: nothing.
  void end();

 private:
  void run(const std::function<bool()>& read, std::chrono::milliseconds pause);

  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace maxlat::attribution
