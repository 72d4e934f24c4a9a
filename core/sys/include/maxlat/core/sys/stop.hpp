// SPDX-License-Identifier: MIT
//
// SIGINT, SIGTERM and SIGHUP (the terminal or the connection is gone) end a command normally, and its results are kept:
// they set a flag that loops check and that poll() can wait for. SIGPIPE ends nothing: nobody reads the output any
// more, but what was measured still goes to its file.
#pragma once

#include <poll.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <span>

namespace maxlat::core {

// Once, at the start of a subcommand that runs for a while. A second SIGINT kills, but not within half a second. Under
// nohup SIGHUP stays ignored. Programs that are started then have the signals as ever.
void catch_stop_signals();
// Set by the handler. The measured loops read it relaxed at block borders.
const std::atomic<bool>& stop_requested();
int stop_fd();  // readable once stop is requested
void request_stop();
// As poll(), until then, to the resolution of the machine's timers. May return early.
int poll_until(std::span<pollfd> all, std::chrono::steady_clock::time_point then);
// Rests until then, or until stop is requested. RETURNS: whether the time came without a stop.
bool rest_until(std::chrono::steady_clock::time_point then);

// While it lives SIGINT, SIGTERM and SIGHUP do not end the process, a second SIGINT neither: for what must not be left
// half done. Each is a request to stop all the same. THREADS: made and destroyed by one thread; may be nested.
class StopsHeldBack {
 public:
  StopsHeldBack();
  ~StopsHeldBack();
  StopsHeldBack(const StopsHeldBack&) = delete;
  StopsHeldBack& operator=(const StopsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace maxlat::core
