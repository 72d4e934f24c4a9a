// SPDX-License-Identifier: MIT
// A program that traces, for the tests that run `maxlat trace record` (tests/tracer).
//
//   traced_program [events=N] [threads=N] [page=FILE] [apart_us=N] [name=TEXT] [rename=TEXT] [-- PROGRAM ...]
//
// Each thread traces test:count with its number and 0, 1, 2 ...; events=0: for ever. `page`: after each MAXLAT_TRACE
// returned, the number of events so far is stored in word `thread` of that file, which outlives a kill. `name`:
// what each thread calls itself before its first event; `rename`: before that with the value 1000. The words after `--`
// are executed in the end, in a child.
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <maxlat/trace/probe.hpp>
#include <string>
#include <thread>
#include <vector>

MAXLAT_TRACE_EVENT(test, count, (std::uint32_t, thread), (std::uint64_t, value), (std::uint64_t, again))
MAXLAT_TRACE_EVENT_LEVEL(test, verbose, debug, (std::uint64_t, value))

namespace {

struct Wishes {
  std::uint64_t events = 1000;
  unsigned threads = 1;
  unsigned apart_us = 0;
  std::uint64_t* page = nullptr;
  const char* name = nullptr;
  const char* rename = nullptr;
};

std::uint64_t* map_page(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || ftruncate(file, 4096) != 0) return nullptr;
  void* where = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return where == MAP_FAILED ? nullptr : static_cast<std::uint64_t*>(where);
}

void trace(unsigned thread, const Wishes& wishes) {
  if (wishes.name != nullptr) prctl(PR_SET_NAME, wishes.name);
  for (std::uint64_t value = 0; wishes.events == 0 || value < wishes.events; ++value) {
    if (value == 1000 && wishes.rename != nullptr) prctl(PR_SET_NAME, wishes.rename);
    MAXLAT_TRACE(test, count, thread, value, value);
    MAXLAT_TRACE(test, verbose, value);
    // release: the event is before its count in this thread's program order, which is all that a kill keeps.
    if (wishes.page != nullptr) __atomic_store_n(&wishes.page[thread], value + 1, __ATOMIC_RELEASE);
    if (wishes.apart_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(wishes.apart_us));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Wishes wishes;
  char** program = nullptr;
  for (int i = 1; i < argc && program == nullptr; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const char* value = equals == std::string::npos ? "" : argv[i] + equals + 1;
    if (name == "events") wishes.events = std::strtoull(value, nullptr, 10);
    if (name == "threads") wishes.threads = static_cast<unsigned>(std::atoi(value));
    if (name == "apart_us") wishes.apart_us = static_cast<unsigned>(std::atoi(value));
    if (name == "name") wishes.name = value;
    if (name == "rename") wishes.rename = value;
    if (name == "page" && (wishes.page = map_page(value)) == nullptr) return 2;
    if (word == "--") program = argv + i + 1;
  }
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < wishes.threads; ++i) threads.emplace_back(trace, i, wishes);
  trace(0, wishes);
  for (std::thread& thread : threads) thread.join();
  if (program != nullptr) {
    pid_t child = -1;
    if (posix_spawnp(&child, program[0], nullptr, nullptr, program, environ) != 0) return 3;
    waitpid(child, nullptr, 0);
  }
}
