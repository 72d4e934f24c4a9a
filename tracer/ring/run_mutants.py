#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""run_mutants.py COMPILER FLAG...: undoes one decision of the ring's source after the other, and runs schedule_test on the
result, or follow_schedule_test (tests/support/mutants.py). What the test must say is Play::error_. The flags are those of
ring_schedule_16."""
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "tests/support"))
import mutants  # noqa: E402

SOURCES = [f"maxlat/ring/{name}" for name in
           ("schedule_test.cpp", "freeze.c", "layout.c", "open_packet.c", "read.c", "reserve.c", "walk.c", "promote.c")]
SEEDS = 400

CORRUPT = "a packet is corrupt"
COUNT = "the packet counts other records than it has"
FROZEN = "a packet that was kept is missing"
BACK = "time goes back"
NO_RECORD = "what follows is no record"
OTHER_TIME = "another time than was written"

# name, file, what is replaced, by what, what the test must say
MUTANTS = [
    ("published before the flag is cleared", "reserve.c",
     "    maxlat_ring_store_release(&cell->reference, word & ~MAXLAT_RING_REF_WRITER);",
     "    maxlat_ring_store_release(&cell->commit_seq, filled);"
     "    maxlat_ring_store_release(&cell->reference, word & ~MAXLAT_RING_REF_WRITER);", "a reader cannot start"),
    ("no tag in the exchange", "read.c",
     "if (maxlat_ring_ref_state(word) != maxlat_ring_ref(0, 0, packet)) return MAXLAT_RING_NOT_NOW;",
     "if ((word & MAXLAT_RING_REF_WRITER) != 0) return MAXLAT_RING_NOT_NOW;", CORRUPT),
    ("delivery decided by a second look", "commit.h",
     "const uint64_t commit = maxlat_ring_owner_add(ownership, commit_count, bytes);",
     "maxlat_ring_owner_add(ownership, commit_count, bytes);"
     "const uint64_t commit = maxlat_ring_load(commit_count);", COUNT),
    ("no equation 3", "reserve.c", "return !maxlat_ring_fully_committed(", "return 0 && !maxlat_ring_fully_committed(", COUNT),
    ("no equation 1", "reserve.c", "return maxlat_ring_full(", "return 0 && maxlat_ring_full(", CORRUPT),
    ("a freeze keeps nothing", "reserve.c", "maxlat_ring_frozen(ring, plan->old, plan->next)", "false", FROZEN),
    ("a freeze is looked for at every second packet", "reserve.c", "maxlat_ring_frozen(ring, plan->old, plan->next)",
     "((plan->next & 256) != 0 && maxlat_ring_frozen(ring, plan->old, plan->next))", FROZEN),
    ("the stretch takes the whole ring", "freeze.c", " || since > ring->shape.buffer_mask / 2", "", FROZEN),
    ("each request notes the place anew", "freeze.c", "(answered & 0xffffffff)", "maxlat_ring_load(&ring->freeze->requests)",
     FROZEN),
    ("the place is read after the count", "freeze.c",
     "  const uint64_t answered = maxlat_ring_load(&freeze->answered);\n",
     "  const uint64_t answered = maxlat_ring_load(&freeze->answered);\n"
     "#define seen maxlat_ring_load_acquire(&ring->header->frozen_at)\n",
     FROZEN),
    ("the place is noted when the ring is full", "freeze.c",
     "  const uint64_t since = maxlat_ring_wrap(",
     "  if (!maxlat_ring_full(&ring->shape, start, maxlat_ring_load(&ring->header->read_count))) return false;\n"
     "  const uint64_t since = maxlat_ring_wrap(", FROZEN),
    ("time read after the reservation", "reserve.h", "  slot->position = position;",
     "  slot->time = maxlat_ring_clock();\n  slot->position = position;", BACK),
    ("every time follows from its low bits", "port_test.h",
     "if ((*time ^ maxlat_ring_load_acquire(word)) >> MAXLAT_RING_TIME_BITS != 0) return false;", "", OTHER_TIME),
    ("time_base moves before the reservation", "reserve.c",
     "  const uint64_t begin = plan->next + MAXLAT_RING_PACKET_HEADER;",
     "  const uint64_t begin = plan->next + MAXLAT_RING_PACKET_HEADER;"
     "  maxlat_ring_store_release(maxlat_ring_time_base(ring), clock_of(ownership));", OTHER_TIME),
    ("a writer that was moved takes its time for one of the ring's CPU", "port_test.h",
     "return ownership == MAXLAT_RING_THREAD || *cpu.now == cpu.chosen;", "return true;", BACK),
    ("a foreign writer leaves no mark", "reserve.c",
     "if (ownership == MAXLAT_RING_THREAD || MAXLAT_LIKELY(*cpu == ring->owner)) return true;", "return true;", BACK),
    ("a foreign writer's time becomes the base", "reserve.c", "plan->base = NO_BASE;", "plan->base = mark_of(plan->time);",
     OTHER_TIME),
    ("a base covers a mark", "reserve.c", "    maxlat_ring_shared_cas(maxlat_ring_time_base(ring), before, time);",
     "    maxlat_ring_store_release(maxlat_ring_time_base(ring), time);", OTHER_TIME),
    ("open_packet taken for any packet", "reserve.h",
     "if (MAXLAT_UNLIKELY(sub_buffer > ring->shape.sub_buffer_mask)) return false;", "sub_buffer &= 1;", NO_RECORD),
    ("flush closes a packet without a record", "reserve.c", "if (offset <= MAXLAT_RING_PACKET_HEADER) return false;",
     "if (offset == 0) return false;", "a packet without a record"),
    ("a packet opened ahead where it is not free", "reserve.c",
     "  if (no_room(ring, &plan) || is_written(ring, plan.next, cell)) return false;", "", COUNT),
    ("header not committed", "reserve.c", "slot->header = MAXLAT_RING_PACKET_HEADER;", "slot->header = 0;",
     "not every record was delivered"),
    ("lost events counted after the reservation", "reserve.c",
     "  close_packet(packet, plan, plan->old);",
     "  struct plan late = *plan;\n  read_books(ring, &late);\n  close_packet(packet, &late, plan->old);",
     "the lost counter went back"),
    ("open packet copied without a second look", "open_packet.c",
     "return (word & ~MAXLAT_RING_REF_WRITER) == maxlat_ring_ref(open->sub_buffer, 0, open->number);", "return word != 1;",
     "the open packet is corrupt"),
    ("open packet copied with a writer inside", "open_packet.c", "&& open->committed == open->reserved;", ";",
     "the open packet is corrupt"),
]

# Of who follows a ring without taking its packets.
FOLLOW_SOURCES = [f"maxlat/ring/{name}" for name in
                  ("follow_schedule_test.cpp", "follow/follow.c", "follow/peek.c", "freeze.c", "layout.c", "open_packet.c", "read.c",
                   "reserve.c", "walk.c", "promote.c")]
MISSING = "the books do not have every record"
FOLLOW_MUTANTS = [
    ("copied without a second look", "open_packet.c",
     "return (word & ~MAXLAT_RING_REF_WRITER) == maxlat_ring_ref(open->sub_buffer, 0, open->number);", "return word != 1;",
     "a wrong byte in a record"),
    ("missed records are not counted", "follow/follow.c",
     "follower->books.overwritten += maxlat_ring_records_between(its->commit, before) - its->given;", ";", MISSING),
    ("given records are counted as overwritten, too", "follow/follow.c", "(its->commit, before) - its->given", "(its->commit, before)",
     "the books have records that nobody wrote"),
    ("an open packet is given from its beginning again", "follow/follow.c",
     "follower->offset != 0 && follower->offset <= follower->walk.end", "false", "out of order"),
    ("a place is known with the first record of its packet", "follow/follow.c",
     "if (maxlat_ring_fully_committed(&ring->shape, follower->at, last)) know_beginning(follower, last);", "", MISSING),
    ("no look for more behind a copy", "follow/follow.c", "if (follower->peeked.complete) leave(follower);",
     "if (!follower->peeked.complete) return none_now(follower); leave(follower);", "the last record was not given"),
]


def try_all(of, sources):
    return mutants.try_all([(name, f"maxlat/ring/{file}", *rest) for name, file, *rest in of],
                           {"maxlat/ring": HERE, "maxlat/ring/follow": HERE / "follow"}, sources, sys.argv[1],
                           [*sys.argv[2:], f"-DMAXLAT_SCHEDULES={SEEDS}"])


if __name__ == "__main__":
    sys.exit(max(try_all(FOLLOW_MUTANTS, FOLLOW_SOURCES), try_all(MUTANTS, SOURCES)))
