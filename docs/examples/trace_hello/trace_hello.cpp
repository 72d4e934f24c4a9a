// SPDX-License-Identifier: MIT
//
// trace_hello [CYCLES]: a periodic loop, as a controller has it, that traces each cycle and asks for a snapshot when it
// was woken late.
//
//   trace_hello                                       records into memory and says how much
//   maxlat trace record -o DIR -- trace_hello         somebody else records, too: all of it, to disk
#include <time.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <maxlat/trace/trace.hpp>
#include <thread>

MAXLAT_TRACE_EVENT(hello, cycle, (std::uint32_t, number), (std::int64_t, late_ns))
MAXLAT_TRACE_EVENT_LEVEL(hello, late, warning, (std::uint32_t, number), (std::int64_t, late_ns),
                         (maxlat::trace::String<32>, what))

namespace {

namespace trace = maxlat::trace;

constexpr std::int64_t kPeriodNs = 1'000'000;
constexpr std::int64_t kLimitNs = 100'000;

// Prints what went wrong, and ends.
void must(const maxlat::base::Status& status) {
  if (status) return;
  std::fprintf(stderr, "trace_hello: %s\n", status.error().text.c_str());
  std::exit(1);
}

void run(trace::Session session, std::uint32_t cycles) {
  // Before the first cycle: a ring of this thread's own, mapped, touched, locked. From here on an event makes no system
  // call.
  if (!trace::prepare_thread()) std::fprintf(stderr, "trace_hello: the ring is not locked (ulimit -l)\n");
  timespec next{};
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
    next.tv_nsec += kPeriodNs;
    if (next.tv_nsec >= 1'000'000'000) {
      next.tv_nsec -= 1'000'000'000;
      ++next.tv_sec;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t late_ns = (now.tv_sec - next.tv_sec) * 1'000'000'000 + now.tv_nsec - next.tv_nsec;
    MAXLAT_TRACE(hello, cycle, cycle, late_ns);
    // Whoever records with snapshots keeps what led to this; at most one a second.
    if (session.snapshot_if_above(static_cast<std::uint64_t>(late_ns), kLimitNs, std::chrono::seconds(1))) {
      MAXLAT_TRACE(hello, late, cycle, late_ns, "snapshot");
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const auto cycles = static_cast<std::uint32_t>(count > 1 ? std::atoi(arguments[1]) : 1000);
  must(trace::open_control());  // `maxlat trace list` now shows this program

  auto session = trace::Session::create({.name = "hello"});
  if (!session) must(session.error());
  must(session->add_channel({.name = "all", .when_full = trace::FullBuffer::overwrite, .sub_buffer_size = 1 << 16}));
  must(session->enable("all", "hello:*"));
  must(session->start());

  std::thread(run, *session, cycles).join();

  must(session->stop());
  const trace::Books books = session->status().channels[0].books;
  std::printf("%u cycles: %llu events recorded, %llu lost\n", cycles, static_cast<unsigned long long>(books.recorded),
              static_cast<unsigned long long>(books.produced() - books.recorded));
  must(session->destroy());
  return books.recorded >= cycles ? 0 : 1;
}
