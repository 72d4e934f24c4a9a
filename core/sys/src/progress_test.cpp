// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <maxlat/core/sys/progress.hpp>
#include <string>

namespace maxlat::core {
namespace {

using namespace std::chrono_literals;

std::string shown_to_a_file(bool quiet) {
  testing::internal::CaptureStderr();
  {
    Progress progress(quiet);
    progress.show("[3/8] cyclictest under load", 0.419, 12s, "02:03 in all");
    progress.show("[3/8] cyclictest under load", 0.5, 11s);  // within ten seconds of the first
    progress.note("cyclictest: 1 warning");
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, PlainLinesWhenStderrIsNoTerminal) {
  EXPECT_EQ(shown_to_a_file(false),
            "[3/8] cyclictest under load   41 %  00:12 left, 02:03 in all\n"
            "cyclictest: 1 warning\n");
}

TEST(Progress, QuietSaysNothing) {
  EXPECT_EQ(shown_to_a_file(true), "");
}

// A pseudo-terminal in the place of stderr while it lives.
class TerminalOnStderr {
 public:
  TerminalOnStderr() : saved_(::dup(STDERR_FILENO)), master_(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    ::grantpt(master_);
    ::unlockpt(master_);
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    ::dup2(slave, STDERR_FILENO);
    ::close(slave);
  }
  ~TerminalOnStderr() {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
    ::close(master_);
  }
  // What was written, as far as `expected` is long: the kernel hands it through the terminal in its own time.
  std::string written_like(const std::string& expected) const {
    std::string text(expected.size(), '\0');
    size_t size = 0;
    pollfd waiting{.fd = master_, .events = POLLIN, .revents = 0};
    while (size < text.size() && ::poll(&waiting, 1, 10'000) == 1) {
      const ssize_t got = ::read(master_, text.data() + size, text.size() - size);
      if (got > 0) size += static_cast<size_t>(got);
    }
    text.resize(size);
    return text;
  }

 private:
  int saved_, master_;
};

TEST(Progress, RewritesOneLineOnATerminal) {
  TerminalOnStderr terminal;
  const auto expect = [&](const std::string& text) { EXPECT_EQ(terminal.written_like(text), text); };
  {
    Progress progress(false);
    progress.show("npt", 0, 3700s);
    expect("\rnpt    0 %  1:01:40 left\033[K");
    progress.show("npt", 2, -5s);  // a phase that takes longer than planned
    expect("\rnpt  100 %  00:00 left\033[K");
    progress.note("a line that stays");
    expect("\r\033[Ka line that stays\r\n");
    progress.show(std::string(200, 'x'), 0, 0s);
    expect("\r" + std::string(79, 'x') + "\033[K");  // or it would wrap
  }
  expect("\r\033[K");
}

}  // namespace
}  // namespace maxlat::core
