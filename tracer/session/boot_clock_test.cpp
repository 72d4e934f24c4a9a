// SPDX-License-Identifier: MIT
// One clock for all sessions of a boot: two processes that hand a token to and fro are in causal order when their
// traces are merged, and a record that cannot be trusted is not.
#include "session/boot_clock.hpp"

#include <gtest/gtest.h>
#include <maxlat/base/counter.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <maxlat/test/temporary_folder.hpp>
#include <maxlat/trace/control_protocol.hpp>
#include <maxlat/trace/probe.hpp>
#include <maxlat/trace/reader.hpp>
#include <maxlat/trace/recorder.hpp>
#include <maxlat/trace/session.hpp>
#include <optional>
#include <thread>

MAXLAT_TRACE_EVENT(token, has, (std::uint64_t, n))

namespace {

using namespace maxlat;
using namespace maxlat::trace;
namespace fs = std::filesystem;

class BootClock : public testing::Test {
 protected:
  BootClock() {
    if (const char* place = getenv("XDG_RUNTIME_DIR")) before_ = place;
    setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
  }
  ~BootClock() override { before_ ? setenv("XDG_RUNTIME_DIR", before_->c_str(), 1) : unsetenv("XDG_RUNTIME_DIR"); }
  // RETURNS: the record's path, once there is one.
  static std::string record() {
    for (const auto& entry : fs::directory_iterator(control_folder())) {
      if (entry.path().filename().string().starts_with("clock-")) return entry.path();
    }
    return "";
  }

  maxlat::test::TemporaryFolder folder_;
  const base::CounterClock measured_ = base::calibrate();

 private:
  std::optional<std::string> before_;
};

TEST_F(BootClock, IsTheSameForAll) {
  const TraceClock first = detail::boot_clock(measured_);
  EXPECT_NE(first.uuid, Uuid{});
  base::CounterClock other = base::clock_with_rate(measured_.ticks_per_ns * (1 + 5e-6));
  const TraceClock second = detail::boot_clock(other);
  EXPECT_EQ(second.uuid, first.uuid);
  EXPECT_EQ(second.counter.ticks_per_ns, first.counter.ticks_per_ns);
  // The wall clock may have been set meanwhile, and nothing else.
  if (std::abs(second.realtime_offset_ns - first.realtime_offset_ns) < 1'000'000) {
    EXPECT_EQ(second.realtime_offset_ns, first.realtime_offset_ns);
    EXPECT_EQ(second.monotonic_offset_ns, first.monotonic_offset_ns);
  }
}

TEST_F(BootClock, FollowsAWallClockThatWasSetAndKeepsItsUuid) {
  const TraceClock first = detail::boot_clock(measured_);
  std::string text;
  std::getline(std::ifstream(record()), text);
  const std::size_t at = text.rfind(' ', text.rfind(' ') - 1);  // of the offset to real time
  const std::string moved = text.substr(0, at) + " 1234" + text.substr(text.rfind(' ')) + "\n";
  std::ofstream(record()) << moved;
  const TraceClock again = detail::boot_clock(measured_);
  EXPECT_EQ(again.uuid, first.uuid);
  EXPECT_LT(std::abs(again.realtime_offset_ns - first.realtime_offset_ns), 3'600'000'000'000);
}

// A record that `measured_` would be taken for, and is told from.
TraceClock of_another_rate(const base::CounterClock& measured) {
  return detail::boot_clock(base::clock_with_rate(measured.ticks_per_ns * (1 + 5e-6)));
}

TEST_F(BootClock, ARecordThatIsNoneIsReplaced) {
  const double other_rate = of_another_rate(measured_).counter.ticks_per_ns;
  std::string text;
  std::getline(std::ifstream(record()), text);
  EXPECT_EQ(detail::boot_clock(measured_).counter.ticks_per_ns, other_rate);
  std::string impossible = text;
  impossible.replace(text.find(' ', 20) + 1, 16, "4059000000000000");  // 100 ticks a nanosecond
  for (const std::string& wrong :
       {std::string(), std::string("maxlat-clock 3 0 0 0\n"), text, text.substr(0, text.size() - 1), text + "0 \n",
        impossible + "\n", std::string(300, 'a')}) {
    std::ofstream(record()) << wrong;
    EXPECT_EQ(detail::boot_clock(measured_).counter.ticks_per_ns, measured_.ticks_per_ns) << wrong;
    EXPECT_EQ(of_another_rate(measured_).counter.ticks_per_ns, measured_.ticks_per_ns) << "not on record: " << wrong;
  }
}

TEST_F(BootClock, AFileThatOthersMayHaveWrittenIsNotBelieved) {
  of_another_rate(measured_);
  ASSERT_EQ(chmod(record().c_str(), 0666), 0);
  EXPECT_EQ(detail::boot_clock(measured_).counter.ticks_per_ns, measured_.ticks_per_ns);
  const std::string path = record();
  fs::remove(path);
  of_another_rate(measured_);
  fs::rename(path, path + "-elsewhere");
  fs::create_symlink(path + "-elsewhere", path);
  EXPECT_EQ(detail::boot_clock(measured_).counter.ticks_per_ns, measured_.ticks_per_ns);
  fs::remove(path);
  ASSERT_EQ(chmod(control_folder().c_str(), 0777), 0);
  EXPECT_EQ(detail::boot_clock(measured_).counter.ticks_per_ns, measured_.ticks_per_ns);
  EXPECT_FALSE(fs::exists(path)) << "nothing is put into a folder of others";
}

TEST_F(BootClock, IsOneCounterForAllUsers) {
  const TraceClock mine = detail::boot_clock(measured_);
  setenv("XDG_RUNTIME_DIR", (folder_ / "nowhere").c_str(), 1);  // as where another user's records are
  EXPECT_EQ(detail::boot_clock(measured_).uuid, mine.uuid);
  setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1);
}

// What the two processes share, and how often the token changes hands: more than a machine that does other things, too,
// may manage.
struct Shared {
  std::atomic<std::uint64_t> token{0};
};
constexpr std::uint64_t kHandovers = 1'000'000;

int hand_over(Shared& shared, std::uint64_t mine, const std::string& folder) {
  auto session = Session::create({.name = mine == 0 ? "even" : "odd"});
  if (!session || !session->add_channel({.name = "all", .sub_buffer_size = 1 << 20, .sub_buffers = 16}) ||
      !session->enable("all", "token:*") || !session->start()) {
    return 1;
  }
  const char* seconds = getenv("MAXLAT_TOKEN_SECONDS");  // all of the million: tests/stress
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds == nullptr ? 5 : atoi(seconds));
  for (std::uint64_t n = mine; n < kHandovers; n += 2) {
    // acquire: the event of the one before.
    for (int spins = 0; shared.token.load(std::memory_order_acquire) < n; ++spins) {
      if (spins % 200 == 199) std::this_thread::yield();
    }
    // A plain counter read may run ahead of the load that it depends on for nothing but its order.
    (void)maxlat_counter_fenced();
    if (shared.token.load(std::memory_order_relaxed) >= kHandovers) break;  // the other one ended it
    MAXLAT_TRACE(token, has, n);
    const bool late = std::chrono::steady_clock::now() > end;
    // release: the event. A store waits for the instructions before it, a counter read among them.
    shared.token.store(late ? kHandovers : n + 1, std::memory_order_release);
    if (late) break;
  }
  if (!session->stop()) return 2;
  auto descriptors = session->descriptors();
  RecorderOptions options;
  options.directory = folder;
  auto recorder = Recorder::attach(descriptors->memory, options);
  return recorder && recorder->finish(RecordingEnd::stopped).complete() ? 0 : 3;
}

TEST_F(BootClock, ATokenBetweenTwoProcessesIsInCausalOrderWhenTheirTracesAreMerged) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Shared& shared = *new (memory) Shared;
  const char* kept = getenv("MAXLAT_TOKEN_TRACE");  // for another reader: tests/tracer/token_order.py
  const std::string folder = kept != nullptr ? kept : std::string(folder_ / "trace");
  fs::create_directory(folder);
  pid_t children[2];
  for (std::uint64_t mine : {0u, 1u}) {
    children[mine] = fork();
    if (children[mine] == 0) _exit(hand_over(shared, mine, folder));
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  auto reader = TraceReader::open(folder);
  ASSERT_TRUE(reader) << reader.error().text;
  ASSERT_EQ((*reader)->processes().size(), 2u);
  std::uint64_t expected = 0, out_of_order = 0;
  for (RecordedEvent event; (*reader)->next(event); ++expected) {
    std::uint64_t n = 0;
    std::memcpy(&n, event.payload.data(), sizeof n);
    out_of_order += n != expected;
  }
  EXPECT_EQ(out_of_order, 0u) << "of " << expected;
  EXPECT_GE(expected, getenv("MAXLAT_TOKEN_SECONDS") == nullptr ? 2 : kHandovers);
  munmap(memory, sizeof(Shared));
}

}  // namespace
