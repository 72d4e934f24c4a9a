// SPDX-License-Identifier: MIT
// racing_texts: traces a text, by the C++ and the C interface, while another thread changes it all the time, until that
// was seen to happen often. Prints how many events each interface has traced, and how often that was seen.
#include <maxlat/trace.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <maxlat/trace/probe.hpp>
#include <thread>

MAXLAT_TRACE_EVENT(race, cpp, (std::uint64_t, n), (maxlat::trace::String<64>, text), (std::uint64_t, again))
MAXLAT_C_EVENT(race, c, scalar(uint64_t, n), text(text, 64), scalar(uint64_t, again))

constexpr std::uint64_t kEvents = 50'000, kMostEvents = 10 * kEvents, kChangedMeanwhile = 1'000;

int main() {
  static char text[64];
  std::atomic<std::uint64_t> changes = 0;
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done.load(std::memory_order_relaxed)) {
      for (const char* next :
           {"", "short", "a text of middling length", "a text that is nearly as long as its field may be"})
        std::strcpy(text, next);
      changes.fetch_add(1, std::memory_order_relaxed);
    }
  });
  while (changes.load(std::memory_order_relaxed) == 0) continue;
  std::uint64_t n = 0, meanwhile = 0;
  for (; n < kEvents || (n < kMostEvents && meanwhile < kChangedMeanwhile); ++n) {
    const std::uint64_t before = changes.load(std::memory_order_relaxed);
    MAXLAT_TRACE(race, cpp, n, text, n);
    MAXLAT_C_TRACE(race, c, n, text, n);
    meanwhile += changes.load(std::memory_order_relaxed) != before;
    if (n % 1000 == 0) std::this_thread::yield();  // where both have one CPU
  }
  done.store(true, std::memory_order_relaxed);
  other.join();
  std::printf("%lu %lu\n", static_cast<unsigned long>(n), static_cast<unsigned long>(meanwhile));
}
