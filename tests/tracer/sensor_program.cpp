// SPDX-License-Identifier: MIT
// A program with sensors: posts what it is told on standard input, a word a line, and answers "done" to each.
#include <cstdio>
#include <cstring>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/map.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/sensors/trace_ring.hpp>
#include <maxlat/sensors/var_event_list.hpp>
#include <string>

namespace moving {
enum class Mode : std::uint8_t { manual, automatic };
}
MAXLAT_TRACE_ENUM(moving::Mode, manual, automatic)
MAXLAT_TRACE_EVENT(robot, step, (std::uint32_t, axis), (double, position_mm))
MAXLAT_TRACE_EVENT(robot, said, (maxlat::trace::String<500>, text))
MAXLAT_TRACE_EVENT(robot, mode, (moving::Mode, mode), (maxlat::trace::String<16>, why))

// As a program has it that shares it among its files: not in an unnamed namespace.
struct RobotSensors {
  maxlat::sensors::EventList<16, MAXLAT_LISTED_EVENT(robot, step), MAXLAT_LISTED_EVENT(robot, mode)> moves{
      "moves", "what the robot did last"};
  maxlat::sensors::VarEventList<16, 256, MAXLAT_LISTED_EVENT(robot, said)> log{"log", "what the robot said last"};
};
MAXLAT_SENSORS(robot, RobotSensors)

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
  LinearHistogram<Cells{.low = 20, .width = 5, .count = 8}> voltage{"voltage", "mV"};
  Map<Cells{.low = 0, .width = 16, .count = 3}, Cells{.low = 100, .width = 10, .count = 2}> copies{
      "copies", "ns", {"width", "px"}, {"height", "px"}, "time to copy a rectangle"};
};

// Published when it is asked for.
struct Flight {
  TraceRing<2, 512, MAXLAT_LISTED_EVENT(robot, step), MAXLAT_LISTED_EVENT(robot, mode)> trace{"trace", "all it did"};
};
constinit SensorGroup<Flight> flight;

[[gnu::noinline]] void say(const std::string& text) {
  MAXLAT_POST(robot->log, robot, said, text);
}

// Which no program but a broken one has in its hands.
maxlat_event_slots slots_of(decltype(RobotSensors::moves)& list) {
  const auto& words = reinterpret_cast<const maxlat_event_list&>(list).sensor.shape;
  const maxlat_event_shape shape = maxlat_event_shape_of(words[0], words[1]);
  return {reinterpret_cast<std::uint8_t*>(&list) + maxlat_event_slots_offset(shape), shape.slots, shape.slot_size};
}

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
      for (std::uint64_t value = 18; value <= 60; ++value) other->voltage.post(value);
      for (const std::uint64_t time : {100u, 300u}) other->copies.post(17, 105, time);
      other->copies.post(40, 119, 1000);
      other->copies.post(48, 100, 1);
    } else if (std::strcmp(line, "most\n") == 0) {
      server->latency.post(~0ull);
    } else if (std::strcmp(line, "overload\n") == 0) {
      server->queue.add(2);
    } else if (std::strcmp(line, "move\n") == 0) {
      MAXLAT_POST(robot->moves, robot, mode, moving::Mode::automatic, "a \"start\"\x1b[1m");
      for (std::uint32_t axis = 1; axis <= 12; ++axis) MAXLAT_POST(robot->moves, robot, step, axis, axis * 0.5);
    } else if (std::strcmp(line, "say\n") == 0) {
      for (const std::string& text : {std::string("one"), std::string("two"), std::string("three"),
                                      std::string(220, 'x'), std::string(300, 'y'), std::string("last")})
        say(text);
    } else if (std::strcmp(line, "fly\n") == 0) {
      if (!publish_group(&flight, flight.kBytes, "flight")) return 1;
      for (std::uint32_t axis = 1; axis <= 30; ++axis) MAXLAT_POST(flight->trace, robot, step, axis, axis * 0.5);
      MAXLAT_POST(flight->trace, robot, mode, moving::Mode::manual, "landed");
    } else if (std::strcmp(line, "again\n") == 0) {
      if (!withdraw_group(&robot) || !publish_group(&robot, robot.kBytes, "robot")) return 1;
    } else if (std::strcmp(line, "lie\n") == 0) {
      reinterpret_cast<maxlat_event_slot*>(slots_of(robot->moves).first)->time = ~0ull;
    } else if (std::strcmp(line, "stick\n") == 0) {  // a post that never ends
      maxlat_event_place place;
      const maxlat_event_slots slots = slots_of(robot->moves);
      if (!maxlat_event_claim(kThread, &reinterpret_cast<maxlat_event_list&>(robot->moves), slots, &place)) return 1;
    }
    std::puts("done");
    std::fflush(stdout);
  }
}
