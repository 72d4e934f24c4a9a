// SPDX-License-Identifier: MIT
// racing_texts EVENTS: traces a text, by the C++ and the C interface, while another thread changes it all the time.
#include <maxlat/trace.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <maxlat/trace/probe.hpp>
#include <thread>

MAXLAT_TRACE_EVENT(race, cpp, (std::uint64_t, n), (maxlat::trace::String<64>, text), (std::uint64_t, again))
MAXLAT_C_EVENT(race, c, scalar(uint64_t, n), text(text, 64), scalar(uint64_t, again))

int main(int argc, char** argv) {
  const std::uint64_t events = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  static char text[64];
  std::atomic<std::uint64_t> changes = 0;
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done.load(std::memory_order_relaxed)) {
      for (const char* next : {"", "short", "a text of middling length", "a text that is nearly as long as its field may be"})
        std::strcpy(text, next);
      changes.fetch_add(1, std::memory_order_relaxed);
    }
  });
  while (changes.load(std::memory_order_relaxed) == 0) continue;
  for (std::uint64_t n = 0; n < events; ++n) {
    MAXLAT_TRACE(race, cpp, n, text, n);
    MAXLAT_C_TRACE(race, c, n, text, n);
  }
  done.store(true, std::memory_order_relaxed);
  other.join();
}
