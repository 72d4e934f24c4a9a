// SPDX-License-Identifier: MIT
// A program with a list of events and with tracepoints: does what it is told on standard input, a word a line, and
// answers "done" to each. `both`: eight events, in turn to the list and to the trace. `flood`: a thousand to each.
// `session`: makes a tracing session of its own, "own", with little room.
#include <cstdio>
#include <cstring>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/trace/probe.hpp>
#include <maxlat/trace/session.hpp>

MAXLAT_TRACE_EVENT(both, posted, (std::uint64_t, number))
MAXLAT_TRACE_EVENT(both, traced, (std::uint64_t, number))

struct BothSensors {
  maxlat::sensors::EventList<16, MAXLAT_LISTED_EVENT(both, posted)> list{"list"};
  maxlat::sensors::Counter posts{"posts"};
};
MAXLAT_SENSORS(both, BothSensors)

namespace {

void post_and_trace(int pairs) {
  static std::uint64_t number = 0;
  for (int i = 0; i < pairs; ++i) {
    MAXLAT_POST(both->list, both, posted, number);
    MAXLAT_TRACE(both, traced, number + 1);
    both->posts.add();
    number += 2;
  }
}

bool make_session() {
  static auto session = maxlat::trace::Session::create({.name = "own"});
  return session && session->add_channel({.name = "little", .sub_buffer_size = 4096, .sub_buffers = 2}) &&
         session->enable("little", "both:*");
}

}  // namespace

int main() {
  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    if (std::strcmp(line, "both\n") == 0) post_and_trace(4);
    if (std::strcmp(line, "flood\n") == 0) post_and_trace(1000);
    if (std::strcmp(line, "session\n") == 0 && !make_session()) return 1;
    std::puts("done");
    std::fflush(stdout);
  }
}
