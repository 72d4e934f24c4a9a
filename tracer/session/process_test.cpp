// SPDX-License-Identifier: MIT
// fork(), what killed processes leave, the kernel's word that timer delivery makes no system call, and very many
// events.
#include <errno.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <deque>
#include <fstream>
#include <maxlat/test/system_calls.hpp>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/control.hpp>
#include <maxlat/trace/control_protocol.hpp>
#include <maxlat/trace/probe.hpp>
#include <optional>
#include <thread>

#include "session/live_channels.hpp"
#include "session/test_child.hpp"
#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(process, event, (std::uint64_t, n))

namespace {

using namespace maxlat;
using namespace maxlat::trace;
using namespace maxlat::trace::test;

TEST(Fork, TheChildHasNoSessionsAndTheParentGoesOn) {
  Recording recording;
  recording.start("process:*");
  MAXLAT_TRACE(process, event, 1);
  const int status = in_child([&] {
    MAXLAT_TRACE(process, event, 2);  // must not reach the parent's memory
    if (!Session::all().empty()) return 1;
    if (recording.session.status().state != SessionState::destroyed) return 2;
    if (recording.session.stop().ok()) return 3;
    recording.session.request_snapshot();
    if (prepare_thread() != true) return 4;  // nothing running: nothing missing
    // A session of its own works, with what this thread had been in the parent.
    Recording own;
    own.start("process:*");
    for (std::uint64_t n = 0; n < 5; ++n) MAXLAT_TRACE(process, event, n);
    if (own.finish().size() != 5) return 5;
    Recording::expect_ok(own.session.destroy());
    return testing::Test::HasFailure() ? 6 : 0;
  });
  EXPECT_EQ(status, 0);
  MAXLAT_TRACE(process, event, 3);
  EXPECT_EQ(recording.finish().size(), 2u);
}

TEST(Fork, InTheMiddleOfWhatOtherThreadsDo) {
  Recording recording({{.name = "all", .when_full = FullBuffer::overwrite, .sub_buffer_size = 4096, .slots = 8}});
  recording.start("process:*");
  std::atomic<bool> done{false};
  std::uint64_t produced = 0;
  std::thread tracing([&] {
    while (!done.load()) {
      MAXLAT_TRACE(process, event, produced);
      ++produced;
    }
  });
  std::thread coming_and_going([&] {
    while (!done.load()) std::thread([] { prepare_thread(); }).join();
  });
  std::thread controlling([&] {
    while (!done.load()) {
      Recording other({Recording::small()}, "other");
      other.start("process:*");
    }
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(in_child([] {
                MAXLAT_TRACE(process, event, 0);
                return Session::all().empty() ? 0 : 1;
              }),
              0);
  }
  done.store(true);
  tracing.join();
  coming_and_going.join();
  controlling.join();
  recording.finish();
  EXPECT_EQ(recording.books().produced(), produced);
}

// Each waits for the other: the one that stops, for the probe; the probe's handler, for the fork.
TEST(Fork, InAProbeThatAnotherThreadWaitsFor) {
  Recording recording;
  recording.start("process:*");
  std::atomic<bool> inside{false};
  std::thread tracing([&] {
    MAXLAT_TRACE(process, event, 1);
    detail::enter(detail::thread_state);
    inside.store(true);
    while (detail::running_channels.load() != 0) sched_yield();  // until it is being stopped
    EXPECT_EQ(in_child([] { return Session::all().empty() ? 0 : 1; }), 0);
    detail::leave(detail::thread_state);
  });
  while (!inside.load()) sched_yield();
  Recording::expect_ok(recording.session.stop());
  tracing.join();
  EXPECT_EQ(recording.books().produced(), 1u);
}

// What the probe goes on to touch stays until the first control call; that one takes all of it away, in this order:
// rings, channels, session.
TEST(Fork, InAProbeAndThenTheFirstControlCall) {
  Recording recording({Recording::small(), {.name = "cpu", .ownership = Ownership::per_cpu}});
  recording.start("process:*");
  MAXLAT_TRACE(process, event, 1);
  detail::enter(detail::thread_state);
  EXPECT_EQ(in_child([] {
              detail::leave(detail::thread_state);
              return Session::all().empty() ? 0 : 1;
            }),
            0);
  detail::leave(detail::thread_state);
  EXPECT_EQ(recording.finish().size(), 1u);
}

// A handler of a shared library, registered before ours: it runs between our two, where the list of threads is locked.
// In the child it must not trace (session/fork.hpp).
bool early_handler_traces = false;
void trace_early() {
  if (early_handler_traces) MAXLAT_TRACE(process, event, 1);
}
#ifndef __clang__  // which has no such warning
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif
[[gnu::constructor(100)]] void as_a_shared_library_would() {
  pthread_atfork(trace_early, trace_early, nullptr);
}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

TEST(Fork, HandlersWithinOursMayTraceInThreadsThatNeverDid) {
  Recording recording;
  recording.start("process:*");
  early_handler_traces = true;
  std::thread([] { EXPECT_EQ(in_child([] { return 0; }), 0); }).join();
  early_handler_traces = false;
  recording.finish();
  EXPECT_EQ(recording.books().lost_no_ring, 2u);  // it cannot be registered there
}

// pthread_atfork() handlers of the program, registered before any session: they trace and control, in both processes.
bool handles_forks = false;
void trace_and_control() {
  if (!handles_forks) return;
  MAXLAT_TRACE(process, event, 1);
  EXPECT_LE(Session::all().size(), 1u);
}

TEST(Fork, HandlersOfTheProgramTraceAndControl) {
  ASSERT_EQ(pthread_atfork(trace_and_control, trace_and_control, trace_and_control), 0);
  Recording recording;
  recording.start("process:*");
  handles_forks = true;
  EXPECT_EQ(in_child([] { return Session::all().empty() ? 0 : 1; }), 0);
  handles_forks = false;
  EXPECT_EQ(recording.finish().size(), 2u);
}

TEST(Fork, TheChildHasNoControl) {
  ASSERT_TRUE(open_control().ok());
  EXPECT_EQ(access(socket_path(getpid()).c_str(), F_OK), 0);
  EXPECT_EQ(in_child([] { return open_control().ok() && access(socket_path(getpid()).c_str(), F_OK) == 0 ? 0 : 1; }),
            0);
  EXPECT_EQ(access(socket_path(getpid()).c_str(), F_OK), 0);
  close_control();
  EXPECT_NE(access(socket_path(getpid()).c_str(), F_OK), 0);
}

// Where nobody else listens.
class OwnControlFolder : public testing::Test {
 protected:
  OwnControlFolder() {
    const char* place = getenv("XDG_RUNTIME_DIR");
    if (place != nullptr) before_ = place;
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  }
  ~OwnControlFolder() override {
    before_ ? setenv("XDG_RUNTIME_DIR", before_->c_str(), 1) : unsetenv("XDG_RUNTIME_DIR");
  }

 private:
  std::optional<std::string> before_;
  maxlat::test::TemporaryFolder folder_;
};

bool has_socket(pid_t pid) {
  return access(socket_path(pid).c_str(), F_OK) == 0;
}

TEST_F(OwnControlFolder, WhoOpensControlRemovesTheSocketsOfTheDeadAndOfNobodyElse) {
  int may_end[2];
  ASSERT_EQ(pipe(may_end), 0);
  const pid_t living = fork();
  if (living == 0) {
    char end;
    close(may_end[1]);
    _exit(open_control().ok() && read(may_end[0], &end, 1) == 0 ? 0 : 1);
  }
  while (!has_socket(living) && waitpid(living, nullptr, WNOHANG) == 0) sched_yield();
  const pid_t dead = fork();
  if (dead == 0) {
    if (open_control().ok()) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(dead, &status, 0), dead);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child could not open its control";
  ASSERT_TRUE(has_socket(dead));
  ASSERT_TRUE(open_control().ok());
  EXPECT_FALSE(has_socket(dead));
  EXPECT_TRUE(has_socket(living));
  close_control();
  close(may_end[0]);
  close(may_end[1]);
  EXPECT_EQ(waitpid(living, &status, 0), living);
  unlink(socket_path(living).c_str());
}

#ifndef __SANITIZE_ADDRESS__  // whose shadow is more address space than any limit here
// From here on this process may map so many bytes more.
void leave_address_space(std::uint64_t bytes) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t limit = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit both{limit, limit};
  EXPECT_EQ(setrlimit(RLIMIT_AS, &both), 0);
}

int trace_without_address_space() {
  ChannelOptions large{.name = "all", .sub_buffer_size = 1 << 20, .sub_buffers = 64, .slots = 2};
  Recording recording({large});
  recording.start("process:*");
  large.ownership = Ownership::per_cpu;
  Recording per_cpu({large}, "per_cpu");
  leave_address_space(16 << 20);
  MAXLAT_TRACE(process, event, 1);
  MAXLAT_TRACE(process, event, 2);
  EXPECT_EQ(recording.books().lost_no_ring, 2u);
  EXPECT_EQ(recording.books().produced(), 2u);
  EXPECT_FALSE(prepare_thread());
  const base::Status started = per_cpu.session.start();
  EXPECT_NE((started.ok() ? "it started" : started.error().text).find("no memory for the ring of CPU"),
            std::string::npos)
      << (started.ok() ? "" : started.error().text);
  return testing::Test::HasFailure() ? 1 : 0;
}

TEST(Limits, WithoutAddressSpaceARingIsNotHadAndTheEventsAreCounted) {
  EXPECT_EQ(in_child(trace_without_address_space), 0);
}
#endif

enum class Prepared { before_the_start, after_the_start };

int trace_without_system_calls(const ChannelOptions& options, Prepared prepared) {
  Recording recording({options});
  const auto start = [&] { std::thread([&] { recording.start("process:*"); }).join(); };
  if (prepared == Prepared::after_the_start) start();
  if (!prepare_thread()) return 2;
  if (prepared == Prepared::before_the_start) start();
  const Memory memory(recording.session);
  const maxlat_shm_channel& shape = channel_of(memory.bytes(), 0);
  const auto written = [&] {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < shape.slots; ++i)
      bytes += *reinterpret_cast<const std::uint64_t*>(memory.bytes() + shape.rings_offset + i * shape.ring_stride +
                                                       offsetof(maxlat_ring_header, write_count));
    return bytes;
  };
  if (!maxlat::test::forbid_system_calls_but(SYS_exit_group)) return 77;
  // Rounds of a ring of 8 KiB and more: switches, deliveries, a full buffer.
  for (std::uint64_t n = 0; n < 20'000; ++n) MAXLAT_TRACE(process, event, n);
  flush();
  _exit(written() >= 8000 ? 0 : 1);
}

#ifndef __SANITIZE_ADDRESS__  // which makes system calls of its own
TEST(Seccomp, TimerDeliveryMakesNoSystemCall) {
  for (const FullBuffer mode : {FullBuffer::discard, FullBuffer::overwrite}) {
    for (const Ownership ownership : {Ownership::per_thread, Ownership::per_cpu}) {
      const ChannelOptions options{.name = "all",
                                   .when_full = mode,
                                   .ownership = ownership,
                                   .sub_buffer_size = 4096,
                                   .sub_buffers = 2,
                                   .slots = 2};
      for (const Prepared prepared : {Prepared::after_the_start, Prepared::before_the_start})
        EXPECT_EQ(in_child([&] { return trace_without_system_calls(options, prepared); }), 0);
    }
  }
}
#endif

TEST(Seccomp, WouldNoticeOne) {
  const ChannelOptions waking{
      .name = "all", .delivery = Delivery::wakeup, .sub_buffer_size = 4096, .sub_buffers = 2, .slots = 2};
  EXPECT_EQ(in_child([&] { return trace_without_system_calls(waking, Prepared::after_the_start); }), 1000 + SIGSYS);
}

TEST(ManyEvents, TenThousandAreRegisteredAndEnabledByOnePattern) {
  struct Bulk {
    std::string name;
    EventDescription description;
    Event event;
  };
  std::deque<Bulk> bulk;
  for (int i = 0; i < 10'000; ++i) {
    Bulk& one = bulk.emplace_back();
    one.name = "event_" + std::to_string(i);
    one.description = {"bulk", one.name, Level::info, {}};
    one.event.choose_probe = [](detail::ProbeKind) {};  // nobody traces it
    one.event.description = &one.description;
    const Registration registration(one.event, one.event.declared);
  }
  {
    Recording recording;
    recording.start("bulk:*");
    EXPECT_EQ(MaxlatTraceEvent_process_event::event.wanted.load(), 0u);
    for (const Bulk& one : bulk) ASSERT_NE(one.event.wanted.load(), 0u);
    const std::string metadata = Memory(recording.session).metadata();
    EXPECT_NE(metadata.find("bulk:event_9999"), std::string::npos);
    Recording::expect_ok(recording.session.disable("all", "*:event_5??"));
    EXPECT_EQ(bulk[500].event.wanted.load(), 0u);
    EXPECT_NE(bulk[600].event.wanted.load(), 0u);
  }
  for (Bulk& one : bulk) {
    EXPECT_EQ(one.event.wanted.load(), 0u);
    unregister(one.event);
  }
}

// An id that no short record can carry: the event has no fast case, and its records are long ones.
TEST(ManyEvents, AnIdAboveThoseOfShortRecordsIsRecorded) {
  Event& event = MaxlatTraceEvent_process_event::event;
  const std::uint32_t before = event.id;
  std::deque<Event> others(MAXLAT_RING_LONG_ID);
  const EventDescription other{"bulk", "other", Level::info, {}};
  for (Event& each : others) {
    each.description = &other;
    const Registration registration(each, each.declared);
  }
  // When it comes back another one like it has its id.
  Event alike;
  alike.description = event.description;
  unregister(event);
  const Registration instead(alike, alike.declared), again(event, event.declared);
  EXPECT_EQ(alike.id, before);
  unregister(alike);
  for (Event& each : others) unregister(each);
  ASSERT_GT(event.id, MAXLAT_RING_LONG_ID);
  ASSERT_GT(event.id, before);
  Recording recording;
  recording.start("process:*");
  for (std::uint64_t n = 0; n < 5000; ++n) MAXLAT_TRACE(process, event, n);
  const std::vector<Recorded> all = recording.finish();
  ASSERT_EQ(all.size(), 5000u);
  EXPECT_EQ(all[4999].id, event.id);
  EXPECT_EQ(all[4999].at<std::uint64_t>(0), 4999u);
}

}  // namespace
