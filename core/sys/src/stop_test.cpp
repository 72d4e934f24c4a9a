// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <maxlat/core/sys/stop.hpp>
#include <thread>

namespace maxlat::core {
namespace {

// Each test runs its body in a child: the flag and the handlers are the process's, and stay.

bool readable(int fd) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 0) == 1;
}

void exits_zero_when(bool condition) {
  std::_Exit(condition ? 0 : 1);
}

void is_set_by(int signal_number) {
  catch_stop_signals();
  const bool before = stop_requested() || readable(stop_fd());
  ::raise(signal_number);
  exits_zero_when(!before && stop_requested() && readable(stop_fd()));
}

TEST(StopDeathTest, SigintSetsFlagAndDescriptor) {
  EXPECT_EXIT(is_set_by(SIGINT), testing::ExitedWithCode(0), "");
}
// To its end, and not at all when stop is requested: an hour would not be over.
TEST(StopDeathTest, ARestEndsWithItsTimeOrWithTheStop) {
  const auto rests = [] {
    catch_stop_signals();
    const auto then = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    const bool whole = rest_until(then) && std::chrono::steady_clock::now() >= then;
    std::thread killer([] { ::kill(::getpid(), SIGTERM); });
    const bool cut = !rest_until(std::chrono::steady_clock::now() + std::chrono::hours(1));
    killer.join();
    exits_zero_when(whole && cut);
  };
  EXPECT_EXIT(rests(), testing::ExitedWithCode(0), "");
}
TEST(StopDeathTest, SigtermSetsFlagAndDescriptor) {
  EXPECT_EXIT(is_set_by(SIGTERM), testing::ExitedWithCode(0), "");
}

TEST(StopDeathTest, SighupSetsFlagAndDescriptor) {
  EXPECT_EXIT(is_set_by(SIGHUP), testing::ExitedWithCode(0), "");
}
TEST(StopDeathTest, SighupStaysIgnoredUnderNohup) {
  const auto ignored = [] {
    ::signal(SIGHUP, SIG_IGN);
    catch_stop_signals();
    ::raise(SIGHUP);
    exits_zero_when(!stop_requested());
  };
  EXPECT_EXIT(ignored(), testing::ExitedWithCode(0), "");
}
TEST(StopDeathTest, ABrokenPipeIsNoEndAndNoStop) {
  const auto broken = [] {
    catch_stop_signals();
    ::raise(SIGPIPE);
    exits_zero_when(!stop_requested());
  };
  EXPECT_EXIT(broken(), testing::ExitedWithCode(0), "");
}

TEST(StopDeathTest, RequestStopNeedsNoSignal) {
  EXPECT_EXIT((request_stop(), exits_zero_when(stop_requested() && readable(stop_fd()))), testing::ExitedWithCode(0),
              "");
}

TEST(StopDeathTest, SecondSigintKills) {
  const auto press_twice = [] {
    catch_stop_signals();
    ::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    ::raise(SIGINT);
  };
  EXPECT_EXIT(press_twice(), testing::KilledBySignal(SIGINT), "");
}

// A defect: a person who pressed once more while a shield was undone left it on.
TEST(StopDeathTest, SecondSigintDoesNotWhileStopsAreHeldBack) {
  const auto press_twice = [](bool caught) {
    if (caught) {
      catch_stop_signals();
      ::raise(SIGINT);
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
    }
    {
      const StopsHeldBack held;
      ::raise(SIGINT);
      ::raise(SIGTERM);
      if (caught) std::thread([] { ::raise(SIGINT); }).join();
    }
    exits_zero_when(stop_requested());
  };
  EXPECT_EXIT(press_twice(true), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(press_twice(false), testing::ExitedWithCode(0), "");
}

TEST(StopDeathTest, BehindThatASecondSigintKillsAgain) {
  const auto press = [] {
    catch_stop_signals();
    { const StopsHeldBack held; }
    ::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    ::raise(SIGINT);
  };
  EXPECT_EXIT(press(), testing::KilledBySignal(SIGINT), "");
}

bool survives_two_at_once() {
  const pid_t child = ::fork();
  if (child == 0) {
    catch_stop_signals();
    ::raise(SIGINT);
    ::raise(SIGINT);
    exits_zero_when(stop_requested());
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A terminal and a wrapper both send it. A box may stop the child for half a second between the two, but not each time.
TEST(StopDeathTest, TwoAtOnceAreOne) {
  EXPECT_TRUE(survives_two_at_once() || survives_two_at_once() || survives_two_at_once());
}

TEST(StopDeathTest, SecondSigtermDoesNot) {
  EXPECT_EXIT((catch_stop_signals(), ::raise(SIGTERM), ::raise(SIGTERM), exits_zero_when(true)),
              testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace maxlat::core
