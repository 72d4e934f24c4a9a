// SPDX-License-Identifier: MIT
// A program with a group that is common to all its processes: posts what it is told on standard input, a word a line,
// and answers "done" to each.
#include <cstdio>
#include <cstring>
#include <maxlat/sensors/common_group.hpp>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/sensors.hpp>

MAXLAT_TRACE_EVENT(worker, request, (std::uint32_t, number))

struct WorkerSensors {
  maxlat::sensors::SharedCounter requests{"requests", "", "requests that were answered, by all workers"};
  maxlat::sensors::SharedHistogram<> latency{"latency", "ns"};
  maxlat::sensors::SharedEventList<64, MAXLAT_LISTED_EVENT(worker, request)> last{"last", "the last requests"};
};
MAXLAT_COMMON_SENSORS(workers, WorkerSensors)

int main() {
  char word[64];
  for (std::uint32_t number = 0; std::fgets(word, sizeof word, stdin) != nullptr;) {
    if (std::strcmp(word, "post\n") == 0) {
      workers->requests.add();
      workers->latency.post(1000);
      MAXLAT_POST(workers->last, worker, request, number++);
    }
    std::puts("done");
    std::fflush(stdout);
  }
  return 0;
}
