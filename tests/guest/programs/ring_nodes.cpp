// SPDX-License-Identifier: MIT
// On which NUMA nodes the pages of rings lie, however the rings came to be: a line for each ring,
//
//   CASE CPU pages N node0 N node1 N
//
// CPU: where the ring's writer runs. Everything is started on CPU 0; writers are on CPU 0 and CPU 2. The kernel is
// asked page by page (move_pages).
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <maxlat/trace/probe.hpp>
#include <maxlat/trace/session.hpp>
#include <string>
#include <thread>
#include <vector>

#include "or_fail.hpp"
#include "shm/session_layout.h"
#include "shm/test_objects.hpp"

MAXLAT_TRACE_EVENT(nodes, event, (std::uint64_t, n))

namespace {

using namespace maxlat::trace;

void pin(pid_t thread, int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(thread, sizeof one, &one) != 0) fail("cannot go to CPU " + std::to_string(cpu));
}

pid_t this_thread() {
  return static_cast<pid_t>(syscall(SYS_gettid));
}

class Recording {
 public:
  explicit Recording(Ownership ownership, FullBuffer when_full = FullBuffer::discard, std::uint32_t slots = 4)
      : session_(*Session::create({.name = "nodes", .clock = maxlat::base::clock_with_rate(1)})) {
    must(session_.add_channel({.name = "all",
                               .when_full = when_full,
                               .ownership = ownership,
                               .sub_buffer_size = 1 << 16,
                               .sub_buffers = 4,
                               .slots = slots}));
    must(session_.enable("all", "nodes:*"));
  }
  ~Recording() { must(session_.destroy()); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void start() { must(session_.start()); }

  // The ring of that owner: a thread or a CPU.
  void print(const char* name, std::uint32_t owner, int cpu) const {
    const auto descriptors = session_.descriptors();
    if (!descriptors) fail(descriptors.error().text);
    const std::size_t size = static_cast<std::size_t>(lseek(descriptors->memory, 0, SEEK_END));
    void* where = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptors->memory, 0);
    if (where == MAP_FAILED) fail("cannot map the session");
    auto* bytes = static_cast<std::uint8_t*>(where);
    const maxlat_shm_channel& channel = maxlat::trace::test::channel_of(bytes, 0);
    const maxlat_shm_slot* slots = maxlat::trace::test::slots_of(bytes, 0);
    int rings = 0;
    for (std::uint32_t slot = 0; slot < channel.slots; ++slot) {
      if ((slots[slot].word & MAXLAT_SHM_STATE_MASK) != MAXLAT_SHM_LIVE || slots[slot].owner != owner) continue;
      print_pages(name, cpu, bytes + channel.rings_offset + slot * channel.ring_stride, channel.ring_stride);
      ++rings;
    }
    if (rings != 1) fail(std::string(name) + ": " + std::to_string(rings) + " rings");
    munmap(where, size);
    close(descriptors->memory);
    if (descriptors->wakeup >= 0) close(descriptors->wakeup);
  }

 private:
  static void print_pages(const char* name, int cpu, std::uint8_t* ring, std::size_t size) {
    constexpr std::size_t kPage = 4096;
    std::vector<void*> pages;
    for (std::size_t at = 0; at < size; at += kPage) {
      (void)*const_cast<volatile std::uint8_t*>(ring + at);  // in this mapping, too
      pages.push_back(ring + at);
    }
    std::vector<int> nodes(pages.size(), -1);
    if (syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0) fail("move_pages");
    int on[2] = {};
    for (const int node : nodes) {
      if (node == 0 || node == 1) ++on[node];
    }
    std::printf("%s %d pages %zu node0 %d node1 %d\n", name, cpu, pages.size(), on[0], on[1]);
  }

  Session session_;
};

void on_each_cpu(const std::function<void(int cpu)>& act) {
  for (const int cpu : {0, 2}) {
    std::thread([&] {
      pin(0, cpu);
      act(cpu);
    }).join();
  }
}

void rings_of_cpus(const char* name) {
  Recording recording(Ownership::per_cpu);
  recording.start();
  for (const int cpu : {0, 1, 2, 3}) recording.print(name, static_cast<std::uint32_t>(cpu), cpu);
}

void first_events() {
  Recording recording(Ownership::per_thread);
  recording.start();
  on_each_cpu([&](int cpu) {
    MAXLAT_TRACE(nodes, event, 1);
    recording.print("first_event", static_cast<std::uint32_t>(this_thread()), cpu);
  });
}

// One slot, in turn: what was set for the first ring, which another thread made, is not for the second.
void slot_used_again() {
  Recording recording(Ownership::per_thread, FullBuffer::overwrite, 1);
  on_each_cpu([&](int cpu) {
    if (cpu == 0) {
      if (!prepare_thread()) fail("cannot prepare a thread");
      std::thread([&] { recording.start(); }).join();
    }
    MAXLAT_TRACE(nodes, event, 1);
    recording.print("used_again", static_cast<std::uint32_t>(this_thread()), cpu);
  });
}

void prepared_before_the_session() {
  on_each_cpu([&](int cpu) {
    Recording recording(Ownership::per_thread);
    if (!prepare_thread()) fail("cannot prepare a thread");
    std::thread([&] {
      pin(0, 0);
      recording.start();
    }).join();
    recording.print("prepared", static_cast<std::uint32_t>(this_thread()), cpu);
  });
}

bool sleeps(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) fail("cannot read " + path);
  char state = 0;
  const int read = std::fscanf(file, "%*d %*s %c", &state);
  std::fclose(file);
  return read == 1 && state == 'S';
}

// It has run on CPU 0, and will run on CPU 2 only.
void pinned_while_it_slept() {
  Recording recording(Ownership::per_thread);
  sem_t go_on;
  sem_init(&go_on, 0, 0);
  std::atomic<pid_t> id{0};
  std::thread sleeper([&] {
    pin(0, 0);
    if (!prepare_thread()) fail("cannot prepare a thread");
    id = this_thread();
    sem_wait(&go_on);
  });
  while (id == 0 || !sleeps(id)) sched_yield();
  pin(id, 2);
  recording.start();
  recording.print("pinned_asleep", static_cast<std::uint32_t>(id.load()), 2);
  sem_post(&go_on);
  sleeper.join();
}

}  // namespace

int main() {
  pin(0, 0);
  rings_of_cpus("cpu");
  first_events();
  slot_used_again();
  prepared_before_the_session();
  pinned_while_it_slept();
  // As real-time programs do: from here on a mapping takes its pages at once.
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) fail("cannot lock memory");
  rings_of_cpus("all_locked");
}
