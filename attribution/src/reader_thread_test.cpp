// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <maxlat/attribution/reader_thread.hpp>

namespace maxlat::attribution {
namespace {

using namespace std::chrono_literals;

// The pauses here are longer than any test: what does not come at once does not come.
constexpr auto kForever = std::chrono::milliseconds(24h);

TEST(ReaderThread, LooksAgainAtOnceWhereThereIsMoreAndElsePauses) {
  std::promise<void> all_read;
  int left = 3;
  std::atomic<int> looks{0};
  ReaderThread reader;
  reader.start(
      [&] {
        ++looks;
        if (--left > 0) return true;
        all_read.set_value();
        return false;
      },
      kForever);
  all_read.get_future().wait();
  reader.end();  // out of the pause
  EXPECT_EQ(looks, 3);
}

TEST(ReaderThread, LooksAgainAfterThePause) {
  std::promise<void> twice;
  int looks = 0;
  ReaderThread reader;
  reader.start(
      [&] {
        if (++looks == 2) twice.set_value();
        return false;
      },
      1ms);
  twice.get_future().wait();
  reader.end();
  EXPECT_GE(looks, 2);
}

TEST(ReaderThread, MayEndTwiceOrWithoutAStart) {
  ReaderThread idle;
  idle.end();
  ReaderThread reader;
  reader.start([] { return true; }, kForever);
  reader.end();
  reader.end();
}

}  // namespace
}  // namespace maxlat::attribution
