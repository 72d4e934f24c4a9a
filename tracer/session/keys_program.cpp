// SPDX-License-Identifier: MIT
// keys_program [before-all]: a program with so many pthread keys that a thread's value of one more takes an allocation.
// No probe may make it: a handler that interrupted malloc() may trace, in a thread that was never prepared. Made in
// main(), the keys come after the tracer's, and every event is recorded. Made before any constructor, they come before
// it, and what a thread traces without prepare_thread() is lost, and counted.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <maxlat/trace/probe.hpp>
#include <thread>

#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(keys, event, (std::uint64_t, n))

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;

bool before_all = false;

void make_many_keys() {
  pthread_key_t key;
  for (int i = 0; i < 40; ++i) pthread_key_create(&key, nullptr);
}

void make_keys_before_all(int count, char** words, char**) {
  before_all = count > 1 && std::strcmp(words[1], "before-all") == 0;
  if (before_all) make_many_keys();
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const at_the_very_start)(int, char**,
                                                                              char**) = make_keys_before_all;

thread_local bool in_a_probe __attribute__((tls_model("initial-exec"))) = false;
volatile int allocations = 0;

void trace(std::uint64_t count) {
  in_a_probe = true;
  for (std::uint64_t n = 0; n < count; ++n) MAXLAT_TRACE(keys, event, n);
  in_a_probe = false;
}

bool expect(bool good, const char* what) {
  if (!good) std::printf("not so: %s\n", what);
  return good;
}

bool run() {
  if (!before_all) make_many_keys();
  bool good = true;
  for (const Ownership ownership : {Ownership::per_thread, Ownership::per_cpu}) {
    Recording recording({{.name = "all", .ownership = ownership, .sub_buffer_size = 1 << 16}});
    recording.start("keys:*");
    std::thread([] { trace(5); }).join();
    const Books unprepared = recording.books();
    std::thread([&good] {
      good = expect(prepare_thread(), "the thread is prepared") && good;
      trace(3);
    }).join();
    const std::size_t recorded = recording.finish().size();
    const Books books = recording.books();
    good = expect(unprepared.lost_no_ring == (before_all ? 5u : 0u), "lost are events of what cannot be had") && good;
    good = expect(books.produced() == 8 && recorded == books.recorded, "the books balance") && good;
    good = expect(books.lost_no_ring == unprepared.lost_no_ring, "a prepared thread loses nothing") && good;
  }
  std::printf("%d allocations in probes\n", allocations);
  return good && allocations == 0;
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);

void* malloc(std::size_t size) {
  if (in_a_probe) allocations = allocations + 1;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  if (in_a_probe) allocations = allocations + 1;
  return __libc_calloc(count, size);
}
}

int main() {
  return run() ? 0 : 1;
}
