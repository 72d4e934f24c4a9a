// SPDX-License-Identifier: MIT
// What prepare_thread() has done before the first event. Sanitizers have pages of their own and ignore mlock(): not
// there.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <maxlat/trace/probe.hpp>
#include <thread>

#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(prepared, event, (std::uint64_t, n), (std::uint32_t, thread))

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;

void trace_many(std::uint32_t thread, std::uint64_t count) {
  for (std::uint64_t n = 0; n < count; ++n) MAXLAT_TRACE(prepared, event, n, thread);
}

TEST(PreparedThread, HasNoPageFaultInItsEvents) {
  Recording recording({{.name = "all", .sub_buffer_size = 1 << 16, .sub_buffers = 8}});
  recording.start("prepared:*");
  std::thread([] {
    trace_many(0, 0);  // the loop's own pages
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    getrusage(RUSAGE_THREAD, &before);
    EXPECT_TRUE(prepare_thread());
    getrusage(RUSAGE_THREAD, &before);
    trace_many(0, 15'000);  // 8 sub-buffers of 64 KiB hold 21 000
    getrusage(RUSAGE_THREAD, &after);
    // One or two for code that nobody had run before; not the 120 pages of the ring.
    EXPECT_LE(after.ru_minflt - before.ru_minflt, 3);
  }).join();
  EXPECT_EQ(recording.finish().size(), 15'000u);
}

// Prepared once, before there was any session: whoever starts one does the rest.
TEST(PreparedThread, HasNoPageFaultInASessionThatIsStartedLater) {
  for (const Ownership ownership : {Ownership::per_thread, Ownership::per_cpu}) {
    std::thread([&] {
      Recording recording(
          {{.name = "all", .ownership = ownership, .sub_buffer_size = 1 << 16, .sub_buffers = 8, .slots = 4}});
      trace_many(0, 0);
      EXPECT_TRUE(prepare_thread());
      std::thread([&] { recording.start("prepared:*"); }).join();
      rusage before{}, after{};
      getrusage(RUSAGE_THREAD, &before);
      getrusage(RUSAGE_THREAD, &before);
      trace_many(0, 15'000);
      getrusage(RUSAGE_THREAD, &after);
      EXPECT_LE(after.ru_minflt - before.ru_minflt, 3);
      EXPECT_EQ(recording.finish().size(), 15'000u);
    }).join();
  }
}

TEST(PreparedThread, HasItsNameAndItsIdInARingThatAnotherThreadMade) {
  std::thread([&] {
    pthread_setname_np(pthread_self(), "fifteen letters");
    EXPECT_TRUE(prepare_thread());
    Recording recording({{.name = "all", .sub_buffer_size = 4096, .slots = 2}});
    std::thread([&] {
      pthread_setname_np(pthread_self(), "starter");  // it was born with ours
      recording.start("prepared:*");
    }).join();
    Memory memory(recording.session);
    EXPECT_EQ(memory.slot(0, 0).owner, static_cast<std::uint32_t>(syscall(SYS_gettid)));
    EXPECT_STREQ(memory.slot(0, 0).name, "fifteen letters");
    trace_many(0, 1);
    EXPECT_EQ(recording.session.status().channels[0].slots_used, 1u);
  }).join();
}

TEST(PreparedThread, SaysWhatItCouldNotLock) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &none), 0);
  Recording recording;
  recording.start("prepared:*");
  std::thread([] {
    // This thread alone is nobody (libc's setresuid would change all of them), and may not lock what it likes.
    ASSERT_TRUE(geteuid() != 0 || syscall(SYS_setresuid, -1, 65534, -1) == 0);
    EXPECT_FALSE(prepare_thread());
    trace_many(0, 10);  // not locked, but there
  }).join();
  setrlimit(RLIMIT_MEMLOCK, &before);
  EXPECT_EQ(recording.finish().size(), 10u);
}

}  // namespace
