#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run_mutants.py COMPILER FLAG...: undoes one decision of the lists of events after the other, and runs
event_list_schedule_test on the result (tests/support/mutants.py). The flags are those of event_list_schedule."""
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "tests/support"))
import mutants  # noqa: E402

TWO = "an event is of two"
BACK = "time goes back"
AWAITED = "an event without a writer is awaited"
TAKEN = "!maxlat_sensor_cas(writers, &place->slot->stamp, seen, maxlat_event_written(place->position))"
NOTED = "maxlat_sensor_raise(writers, MAXLAT_SENSOR_UNSIGNED, &place->slot->dropped_at, place->position + 1);"

# name, file, what is replaced, by what, what the test must say
MUTANTS = [
    ("the stamp says nothing of the lap", "event_list_read.h",
     "if (stamp > maxlat_event_written(position)) return MAXLAT_EVENT_IS_GONE; if (stamp != maxlat_event_whole(position)) {",
     "if (stamp == 0 || (stamp & 1) != 0) {", "an event came twice"),
    ("no second look", "event_list_read.h",
     "return maxlat_ring_load(&slot->stamp) == stamp ? MAXLAT_EVENT_IS_WHOLE : MAXLAT_EVENT_IS_GONE;",
     "return MAXLAT_EVENT_IS_WHOLE;", TWO),
    ("whole before its payload", "event_list.h", TAKEN, TAKEN.replace("written(", "whole("), "an event has another's words"),
    ("a slot is taken while somebody writes", "event_list.h", "(seen & 1) != 0 || ", "", "two writers in a slot"),
    ("a later event is overwritten", "event_list.h", "seen > maxlat_event_whole(place->position) ||", "", AWAITED),
    ("a slot is taken without an exchange", "event_list.h", TAKEN,
     "(maxlat_ring_store(&place->slot->stamp, maxlat_event_written(place->position)), false)", "two writers in a slot"),
    ("time outside of the loop", "event_list.h", "place->slot = maxlat_event_slot_at(slots, place->position);",
     "place->time = maxlat_ring_clock_ordered(); place->slot = maxlat_event_slot_at(slots, place->position);", BACK),
    ("time that is read early, of several threads", "event_list.h",
     "writers == MAXLAT_SENSOR_THREAD ? maxlat_ring_clock() : maxlat_ring_clock_ordered()", "maxlat_ring_clock()", BACK),
    ("a dropped event is not noted", "event_list.h", NOTED, ";", AWAITED),
    ("an older dropped event is noted over a later one", "event_list.h", NOTED,
     "maxlat_ring_store(&place->slot->dropped_at, place->position + 1);", AWAITED),
    ("one position too many is passed over", "event_list_read.h", "reader->position += missed;",
     "reader->position += missed + 1;", "the books do not balance"),
    ("dropped and overwritten changed over", "event_list_read.h", "look == MAXLAT_EVENT_IS_DROPPED ? &reader->books.dropped",
     "look != MAXLAT_EVENT_IS_DROPPED ? &reader->books.dropped", "an event was called dropped that was not"),
    ("what is passed over is forgotten", "event_list_read.h", "reader->open[reader->books.open++] = reader->position++;",
     "reader->position++;", "the books do not balance"),
]

if __name__ == "__main__":
    sys.exit(mutants.try_all([(name, f"maxlat/sensors/{file}", *rest) for name, file, *rest in MUTANTS],
                             {"maxlat/ring": HERE.parent / "ring", "maxlat/sensors": HERE.parent / "include/maxlat/sensors",
                              "sensors": HERE},
                             ["sensors/event_list_schedule_test.cpp"], sys.argv[1],
                             [*sys.argv[2:], "-DMAXLAT_SCHEDULES=1000"]))
