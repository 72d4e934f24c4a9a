// SPDX-License-Identifier: MIT
// A library with sensors, for a program that closes it again (sensor_library_program.cpp).
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensors.hpp>

MAXLAT_TRACE_EVENT(library, called, (std::uint32_t, number))

struct LibrarySensors {
  maxlat::sensors::Counter calls{"calls"};
  maxlat::sensors::EventList<16, MAXLAT_LISTED_EVENT(library, called)> last{"last"};
};
MAXLAT_SENSORS(library, LibrarySensors)

extern "C" [[gnu::visibility("default")]] void library_call(std::uint32_t number) {
  library->calls.add();
  MAXLAT_POST(library->last, library, called, number);
}
