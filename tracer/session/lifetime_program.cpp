// SPDX-License-Identifier: MIT
// A program that traces from static constructors and destructors, before main() and after it. The objects' order is
// that of this file; Check is the first to come and the last to go.
#include <unistd.h>

#include <cstdio>
#include <maxlat/trace/probe.hpp>

#include "session/test_recording.hpp"

namespace {

using namespace maxlat::trace;

// Before its declaration has registered the event, and so before anybody can want it: disabled, and no harm done.
struct TooEarly {
  TooEarly();
};
const TooEarly too_early;

}  // namespace

MAXLAT_TRACE_EVENT(lifetime, event, (int, when))

namespace {

TooEarly::TooEarly() {
  MAXLAT_TRACE(lifetime, event, 0);
}

class Check {
 public:
  Check() : recording_() { recording_.start("lifetime:*"); }
  ~Check() {
    const std::vector<test::Recorded> all = recording_.finish();
    bool good = all.size() == 3;
    for (std::size_t i = 0; i < all.size(); ++i) good = good && all[i].at<int>(0) == static_cast<int>(i) + 1;
    std::printf("%zu events of 3, %s\n", all.size(), good ? "in order" : "wrong");
    std::fflush(stdout);
    if (!good) _exit(1);
  }

 private:
  test::Recording recording_;
};
const Check check;

struct Traces {
  Traces() { MAXLAT_TRACE(lifetime, event, 1); }
  ~Traces() { MAXLAT_TRACE(lifetime, event, 3); }
};
const Traces traces;

}  // namespace

int main() {
  MAXLAT_TRACE(lifetime, event, 2);
}
