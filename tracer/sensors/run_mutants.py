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
OTHERS = "an event has another's words"
BACK = "time goes back"
AWAITED = "an event without a writer is awaited"
TAKEN = "!maxlat_sensor_cas(writers, &place->slot->stamp, seen, maxlat_event_written(place->position))"
NOTED = "maxlat_sensor_raise(writers, MAXLAT_SENSOR_UNSIGNED, &place->slot->dropped_at, place->position + 1);"

BYTES = "two writers of a byte"
READ, VAR = "event_list_read.h", "var_event_list.h"
CLAIMED = "maxlat_sensor_cas(MAXLAT_SENSOR_THREAD, &list->claimed, place->begin, place->begin + size)"
REGISTERED = "maxlat_ring_store(&list->innermost, place->event.position + 1);"
SAYS_DROPPED = "maxlat_ring_store(&maxlat_var_event_slot_of(place->event.slot)->size, MAXLAT_VAR_EVENT_DROPPED);"
UNDER_WAY = "MAXLAT_LIKELY(" + CLAIMED + ")"

# name, file, what is replaced, by what, what the test must say
MUTANTS = [
    ("the stamp says nothing of the lap", "event_list_read.h",
     "if (stamp > maxlat_event_written(position)) return MAXLAT_EVENT_IS_GONE; if (stamp != maxlat_event_whole(position)) {",
     "if (stamp == 0 || (stamp & 1) != 0) {", "an event came twice"),
    ("no second look", "event_list_read.h",
     "if (maxlat_ring_load(&slot->stamp) != stamp) return MAXLAT_EVENT_IS_GONE;", "", TWO),
    ("whole before its payload", "event_list.h", TAKEN, TAKEN.replace("written(", "whole("), OTHERS),
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
    ("a note that is gone is waited for", "event_list_read.h",
     "if (dropped > position + 1) return MAXLAT_EVENT_IS_OUTLIVED;", "", AWAITED),
    ("positions of 32 bits", "event_list.h",
     "maxlat_sensor_cas(writers, &list->next, place->position, place->position + 1)",
     "maxlat_sensor_cas(writers, &list->next, place->position, (uint32_t)(place->position + 1))", "an event that was written is in no book"),
    # Two defects of the algorithm as it was printed: sizes as they are, and events that never find room.
    ("sizes are not rounded up", VAR, "size = (size + 7) / 8 * 8;", "", "an event begins within a word"),
    ("an event of any size is taken", VAR, "size > maxlat_var_event_most(ring.size)", "false", "an event is larger than the list"),
    ("bytes are claimed when they have been written", VAR,
     [(UNDER_WAY, "maxlat_ring_load(&list->claimed) == place->begin"),
      ("maxlat_var_event_leave(list, place); maxlat_event_commit(place.event, type, cpu);",
       "maxlat_var_event_leave(list, place); maxlat_sensor_add(MAXLAT_SENSOR_THREAD, &list->claimed, "
       "maxlat_var_event_slot_of(place.event.slot)->size); maxlat_event_commit(place.event, type, cpu);")], None, BYTES),
    ("bytes are claimed without an exchange", VAR, UNDER_WAY,
     "(maxlat_ring_store(&list->claimed, place->begin + size), true)", TWO),
    ("no look at what was claimed since", READ, "maxlat_var_event_is_there(memory->list, memory->ring, begin);", "true;", TWO),
    ("bytes are taken that another post writes", VAR,
     "place->outer == 0 || !maxlat_var_event_finds_busy(slots, ring, place->begin, size, place->outer)", "true", BYTES),
    ("only the post next to it is asked", VAR, "outer = maxlat_ring_load(&around->outer);", "outer = 0;", BYTES),
    ("a post is known behind its claim", VAR,
     [(REGISTERED, ""), ("return place->outer == 0 ||", "return " + REGISTERED.rstrip(";") + ", place->outer == 0 ||")], None, TWO),
    ("where a post begins is known behind its claim", VAR,
     [("maxlat_ring_store(&slot->begin, place->begin); maxlat_ring_store_fence();", "maxlat_ring_store_fence();"),
      ("return place->outer == 0 ||", "return maxlat_ring_store(&slot->begin, place->begin), place->outer == 0 ||")], None, TWO),
    ("a post that ends forgets the one around it", VAR, "maxlat_ring_store(&list->innermost, place.outer);",
     "maxlat_ring_store(&list->innermost, 0);", BYTES),
    ("an event that met busy bytes does not say so", VAR, SAYS_DROPPED, "", OTHERS),
]

if __name__ == "__main__":
    sys.exit(mutants.try_all([(name, f"maxlat/sensors/{file}", *rest) for name, file, *rest in MUTANTS],
                             {"maxlat/ring": HERE.parent / "ring", "maxlat/sensors": HERE.parent / "include/maxlat/sensors",
                              "sensors": HERE},
                             ["sensors/event_list_schedule_test.cpp"], sys.argv[1],
                             [*sys.argv[2:], "-DMAXLAT_SCHEDULES=4000"]))
