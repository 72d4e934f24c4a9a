// SPDX-License-Identifier: MIT
// robot [CYCLES]: a loop of 1 ms that posts how late it is, and each tenth cycle a step; then it waits for its standard
// input to end, so that there is time to look at it:
//
//   ./robot &                       maxlat sensors watch robot
//   ./monitor robot                 python3 monitor.py robot
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <sys/mman.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

MAXLAT_TRACE_EVENT(robot, step, (std::uint32_t, axis), (double, position_mm))

struct RobotSensors {
  maxlat::sensors::Counter cycles{"cycles", "", "turns of the control loop"};
  maxlat::sensors::Histogram<> jitter{"jitter", "ns", "from timer to loop"};
  maxlat::sensors::EventList<64, MAXLAT_LISTED_EVENT(robot, step)> steps{"steps", "each step of an axis"};
};
MAXLAT_SENSORS(robot, RobotSensors)

int main(int argc, char** argv) {
  constexpr std::int64_t kPeriod_ns = 1'000'000, kSecond_ns = 1'000'000'000;
  const std::uint32_t cycles = argc > 1 ? static_cast<std::uint32_t>(std::atoi(argv[1])) : 1000;
  mlockall(MCL_CURRENT | MCL_FUTURE);  // as a program with deadlines does; the sensors' pages are locked with the others
  timespec wake{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &wake);
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
    wake.tv_nsec += kPeriod_ns;
    wake.tv_sec += wake.tv_nsec / kSecond_ns;
    wake.tv_nsec %= kSecond_ns;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr);
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t late_ns = (now.tv_sec - wake.tv_sec) * kSecond_ns + now.tv_nsec - wake.tv_nsec;
    robot->cycles.add();
    robot->jitter.post(static_cast<std::uint64_t>(late_ns));
    if (cycle % 10 == 0) MAXLAT_POST(robot->steps, robot, step, cycle % 3, 0.5 * cycle);
  }
  std::puts("done");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
