// SPDX-License-Identifier: MIT
// What the stress test records (record_under_stress.py): threads that come and go and trace texts of every length.
//
//   stress_program events=N threads=N page=FILE [numbers=1]
//
// stress:load has the thread's number, 0, 1, 2 ... and a text that follows from both, so that whoever reads it knows
// every byte. Most texts are short, some fill a sub-buffer of 4 KiB, a few are too long for one. Word `thread` of
// `page` counts the events whose MAXLAT_TRACE has returned, the last word has the process id: it outlives a kill.
// events=0: for ever. numbers=1: stress:number instead (many_events.py), the thread in the upper 8 bits and 0, 1, 2 ...
// below, as fast as one thread can.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <maxlat/trace/probe.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

MAXLAT_TRACE_EVENT(stress, load, (std::uint32_t, thread), (std::uint64_t, value), (maxlat::trace::String<6000>, text))
MAXLAT_TRACE_EVENT(stress, number, (std::uint64_t, number))

namespace {

constexpr std::uint64_t kEventsOfOneLife = 3000;  // then the thread ends and another goes on where it was

// As in record_under_stress.py.
std::uint64_t mixed(std::uint64_t thread, std::uint64_t value) {
  std::uint64_t bits = (thread << 56 ^ value) * 0x9e3779b97f4a7c15u;
  return bits ^ bits >> 29;
}
std::size_t length_of(std::uint64_t bits) {
  const std::uint64_t kind = bits % 100;
  return bits / 100 % (kind < 90 ? 64 : kind < 99 ? 1500 : 6000);
}

void live(std::uint64_t thread, std::uint64_t from, std::uint64_t until, std::uint64_t* counted) {
  std::string text(6000, ' ');
  for (std::uint64_t value = from; value < until; ++value) {
    const std::uint64_t bits = mixed(thread, value);
    const std::size_t length = length_of(bits);
    for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + (bits >> i % 48 & 15));
    MAXLAT_TRACE(stress, load, static_cast<std::uint32_t>(thread), value, std::string_view(text.data(), length));
    // release: the event is before its count in this thread's program order, which is all that a kill keeps.
    __atomic_store_n(counted, value + 1, __ATOMIC_RELEASE);
    if (bits >> 57 == 0) std::this_thread::sleep_for(std::chrono::microseconds(bits % 2000));
  }
}

void count(std::uint64_t thread, std::uint64_t from, std::uint64_t until, std::uint64_t* counted) {
  for (std::uint64_t value = from; value < until; ++value) {
    MAXLAT_TRACE(stress, number, thread << 56 | value);
    __atomic_store_n(counted, value + 1, __ATOMIC_RELEASE);  // as above
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t events = 0, threads = 1, *page = nullptr;
  bool numbers = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return 2;
    const std::string_view name = word.substr(0, equals);
    const char* value = argv[i] + equals + 1;
    if (name == "events") events = std::strtoull(value, nullptr, 10);
    if (name == "threads") threads = std::strtoull(value, nullptr, 10);
    if (name == "numbers") numbers = true;
    if (name != "page") continue;
    const int file = open(value, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, 4096) != 0) return 2;
    void* where = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (where == MAP_FAILED) return 2;
    page = static_cast<std::uint64_t*>(where);
  }
  if (page == nullptr || threads == 0 || threads >= 512) return 2;
  page[511] = static_cast<std::uint64_t>(getpid());
  std::vector<std::thread> running;
  for (std::uint64_t number = 0; number < threads; ++number) {
    if (numbers) {
      running.emplace_back(count, number, 0, events == 0 ? ~std::uint64_t{0} : events, &page[number]);
      continue;
    }
    running.emplace_back([=] {
      for (std::uint64_t from = 0; events == 0 || from < events; from += kEventsOfOneLife) {
        const std::uint64_t until = from + kEventsOfOneLife;
        std::thread(live, number, from, events != 0 && until > events ? events : until, &page[number]).join();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
}
