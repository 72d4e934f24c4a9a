// SPDX-License-Identifier: MIT
// A program with sensors: posts what it is told on standard input, a word a line, and answers "done" to each.
#include <cstdio>
#include <cstring>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>

namespace {

using namespace maxlat::sensors;

struct Server {
  Counter requests{"requests", "", "requests that were answered"};
  Gauge queue{"queue", "", "requests that wait", {.lowest = 0, .highest = 3}};
  Stat temperature{"temperature", "mK"};
  Gauge speed{"speed", "m/s"};
  Counters<3> answers{"answers", {"yes", "no", "a \"third\"\x1b[1m"}, "", "by their kind"};
  Histogram<> latency{"latency", "ns", "from request to answer"};
};

struct Other {
  SharedCounter requests{"requests"};
};

}  // namespace

MAXLAT_SENSORS(server, Server)
MAXLAT_SENSORS(other, Other)

int main() {
  char line[64];
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    if (std::strcmp(line, "post\n") == 0) {
      server->requests.add(3);
      server->queue.set(2);
      for (const int value : {-5, 10, 7}) server->temperature.post(value);
      server->answers.add(0);
      server->answers.add(2, 4);
      server->answers.add(3);
      for (std::uint64_t i = 1; i <= 1000; ++i) server->latency.post(i * 1000);
      server->latency.post(1ull << 40);
      other->requests.add(1ull << 63);
    } else if (std::strcmp(line, "overload\n") == 0) {
      server->queue.add(2);
    }
    std::puts("done");
    std::fflush(stdout);
  }
}
