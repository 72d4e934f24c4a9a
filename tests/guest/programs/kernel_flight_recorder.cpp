// SPDX-License-Identifier: MIT
// A flight recorder of the kernel by maxlat_trace.ko, which nobody reads: the newest events of all CPUs, until SIGTERM.
//
//   kernel_flight_recorder PATTERN...   prints "started EVENTS", how many kinds there are, and at its end "delivered N"
//                                       and "lost N", those that it has not overwritten, but never had
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <maxlat/trace/kernel/kernel_session.hpp>

#include "or_fail.hpp"

using namespace maxlat::trace;

int main(int argc, char** argv) {
  std::uint64_t events = 0;
  for (int i = 1; i < argc; ++i) events |= kernel_events_matching(argv[i]);
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, nullptr);
  auto session = KernelSession::open();
  if (!session) fail(session.error().text);
  must(session->start({.events = events, .overwrite = true, .period = std::chrono::milliseconds(0)}));
  std::printf("started %zu\n", kernel_event_names(events & session->capabilities().events).size());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&term, &signal);
  must(session->stop());
  const KernelBooks books = session->books();
  std::printf("delivered %llu\nlost %llu\n", static_cast<unsigned long long>(books.delivered),
              static_cast<unsigned long long>(books.lost_full + books.lost_wrap + books.lost_big));
  return 0;
}
