// SPDX-License-Identifier: MIT
// A program whose posts may not allocate: from main() before its group is published and behind that, from a thread that
// nothing was done for, and from a signal handler. Each kind of sensor, its first post and one beyond what it takes.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/map.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/sensors/striped.hpp>
#include <maxlat/sensors/trace_ring.hpp>
#include <maxlat/sensors/var_event_list.hpp>
#include <string_view>

MAXLAT_TRACE_EVENT(frugal, event, (std::uint64_t, a))
MAXLAT_TRACE_EVENT(frugal, text, (maxlat::trace::String<200>, text))

namespace {

using namespace maxlat::sensors;

constexpr Cells kCells{.low = 1, .width = 10, .count = 20};

struct AllKinds {
  Counter counter{"counter"};
  SharedCounter shared_counter{"shared_counter"};
  StripedCounter<8> striped_counter{"striped_counter"};
  Gauge gauge{"gauge"};
  Stat stat{"stat"};
  SharedStat shared_stat{"shared_stat"};
  Counters<2> counters{"counters", {"a", "b"}};
  Histogram<> histogram{"histogram"};
  SharedHistogram<> shared_histogram{"shared_histogram"};
  LinearHistogram<kCells> linear{"linear"};
  Map<kCells, kCells> map{"map", "ns", {"x"}, {"y"}};
  EventList<16, MAXLAT_LISTED_EVENT(frugal, event)> events{"events"};
  SharedEventList<16, MAXLAT_LISTED_EVENT(frugal, event)> shared_events{"shared_events"};
  VarEventList<16, 512, MAXLAT_LISTED_EVENT(frugal, text)> texts{"texts"};
  TraceRing<4, 4096, MAXLAT_LISTED_EVENT(frugal, event)> trace{"trace"};
};
constinit SensorGroup<AllKinds> all_kinds;

thread_local bool is_posting __attribute__((tls_model("initial-exec"))) = false;
volatile int allocations = 0;

void post_all(std::uint64_t value) {
  all_kinds->counter.add();
  all_kinds->shared_counter.add();
  all_kinds->striped_counter.add();
  all_kinds->gauge.set(static_cast<std::int64_t>(value));
  all_kinds->stat.post(static_cast<std::int64_t>(value));
  all_kinds->shared_stat.post(static_cast<std::int64_t>(value));
  all_kinds->counters.add(value);
  all_kinds->histogram.post(value);
  all_kinds->shared_histogram.post(value);
  all_kinds->linear.post(value);
  all_kinds->map.post(value, value, value);
  MAXLAT_POST(all_kinds->events, frugal, event, value);
  MAXLAT_POST(all_kinds->shared_events, frugal, event, value);
  MAXLAT_POST(all_kinds->texts, frugal, text, std::string_view("a text of some length"));
  MAXLAT_POST(all_kinds->trace, frugal, event, value);
}

// More than lists and rings hold.
void post_many() {
  is_posting = true;
  for (std::uint64_t value = 0; value < 1000; ++value) post_all(value);
  post_all(1ull << 62);
  is_posting = false;
}

// RETURNS: allocations meanwhile.
template <class Body>
int allocations_in(Body body) {
  const int before = allocations;
  body();
  return allocations - before;
}

bool expect_none(const char* where, int seen) {
  if (seen != 0) std::printf("%d allocations in posts %s\n", seen, where);
  return seen == 0;
}

void post_in_another_thread() {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        post_many();
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
}

void post_in_a_handler() {
  signal(SIGUSR1, [](int) { post_many(); });
  raise(SIGUSR1);
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  if (is_posting) allocations = allocations + 1;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  if (is_posting) allocations = allocations + 1;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  if (is_posting) allocations = allocations + 1;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (is_posting) allocations = allocations + 1;
  return __libc_memalign(alignment, size);
}
}

int main() {
  // The control: operator new, too, ends in malloc().
  const int seen = allocations_in([] {
    is_posting = true;
    int* volatile memory = new int;  // not for the compiler to leave out
    delete memory;
    is_posting = false;
  });
  if (seen != 1) {
    std::printf("an allocation was counted %d times\n", seen);
    return 1;
  }
  bool good = expect_none("before the group is published", allocations_in(post_many));
  if (const auto published = publish_group(&all_kinds, all_kinds.kBytes, "frugal"); !published) {
    std::printf("not published: %s\n", published.error().text.c_str());
    return 1;
  }
  good = expect_none("of the first thread", allocations_in(post_many)) && good;
  good = expect_none("of another thread", allocations_in(post_in_another_thread)) && good;
  good = expect_none("in a signal handler", allocations_in(post_in_a_handler)) && good;
  return good ? 0 : 1;
}
