// SPDX-License-Identifier: MIT
// Reads what stress_program numbers=1 traced: a line for each thread, of its events in all traces together.
//
//   count_numbers TRACE...      prints "thread N different M twice K last V"; exit status 1: not to be read, or wrong
//
// Each stream has a thread's numbers in their order, and none twice. A number in two traces: who recorded the first was
// killed between writing a packet and saying so.
#include <cstdio>
#include <cstring>
#include <map>
#include <maxlat/trace/reader.hpp>
#include <vector>

namespace {

struct Thread {
  std::vector<bool> met;
  std::uint64_t different = 0, twice = 0;

  void meet(std::uint64_t value) {
    if (value >= met.size()) met.resize(value + value / 2 + 1);
    met[value] ? ++twice : ++different;
    met[value] = true;
  }
  std::uint64_t last() const {
    std::uint64_t value = met.size();
    while (value > 0 && !met[value - 1]) --value;
    return value - 1;
  }
};

bool read(maxlat::trace::StreamReader& stream, std::map<std::uint64_t, Thread>& threads) {
  std::map<std::uint64_t, std::uint64_t> next;
  for (maxlat::trace::RecordedEvent event; stream.next(event);) {
    std::uint64_t number = 0;
    if (event.payload.size() != sizeof number) return false;
    std::memcpy(&number, event.payload.data(), sizeof number);
    const std::uint64_t thread = number >> 56, value = number << 8 >> 8;
    if (value < next[thread]) return false;
    next[thread] = value + 1;
    threads[thread].meet(value);
  }
  return stream.breaks().empty();
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::uint64_t, Thread> threads;
  for (int i = 1; i < argc; ++i) {
    auto trace = maxlat::trace::TraceReader::open(argv[i]);
    if (!trace) {
      std::fprintf(stderr, "count_numbers: %s\n", trace.error().text.c_str());
      return 1;
    }
    for (const auto& stream : (*trace)->streams()) {
      if (read(*stream, threads)) continue;
      std::fprintf(stderr, "count_numbers: %s: an event that was not traced so\n", argv[i]);
      return 1;
    }
  }
  for (const auto& [number, thread] : threads) {
    std::printf("thread %lu different %lu twice %lu last %lu\n", static_cast<unsigned long>(number),
                static_cast<unsigned long>(thread.different), static_cast<unsigned long>(thread.twice),
                static_cast<unsigned long>(thread.last()));
  }
}
