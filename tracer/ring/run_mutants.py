#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""run_mutants.py COMPILER FLAG...: undoes one decision of the ring's source after the other, and runs schedule_test on the
result; on the source as it is it must pass. A mutant names what the test must say of it (Play::error_): only that counts,
not another failure, nor a crash or a run without end. Works in a copy. The flags are those of ring_schedule_16."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).parent
SOURCES = ["freeze", "layout", "open_packet", "read", "reserve", "walk", "promote"]
SEEDS = 400
CACHED = ["ccache"] if shutil.which("ccache") else []  # compiling takes longer than most runs
LIMIT_S = 300  # of one run, on a machine that does other things too

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


def build(folder, compiler, flags, changed):
    """`changed`: sources that must be compiled; headers reach all of them, and the test."""
    objects = []
    for name in ["schedule_test.cpp", *(f"{source}.c" for source in SOURCES)]:
        output = name + ".o"
        objects.append(output)
        if changed and name not in changed and (folder / output).exists():
            continue
        language = ["-std=c++20"] if name.endswith("cpp") else ["-x", "c", "-std=c11"]
        # No path of the folder, whose name is another each time: the cache takes the command for what it is.
        subprocess.run([*CACHED, compiler, *flags, *language, "-O1", "-w", f"-DMAXLAT_SCHEDULES={SEEDS}", "-I.", "-c",
                        f"maxlat/ring/{name}", "-o", output], cwd=folder, check=True)
    subprocess.run([compiler, *objects, "-lgmock", "-lgtest", "-lgtest_main", "-lpthread", "-o", "test"], cwd=folder, check=True)


def run(folder, text=None):
    """RETURNS: the test's exit status; with a text, whether it said that, and it is ended there."""
    command = [str(folder / "test")] + (["--gtest_fail_fast"] if text is None else [])
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as test:
        timer = threading.Timer(LIMIT_S, test.kill)
        timer.start()
        said = False
        for line in test.stdout:
            if text is not None and f'"{text}"' in line:
                said = True
                test.kill()
        timer.cancel()
    return test.returncode if text is None else said


def main():
    compiler, flags = sys.argv[1], sys.argv[2:]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ring = folder / "maxlat/ring"
        ring.mkdir(parents=True)
        for path in HERE.iterdir():
            if path.suffix in (".c", ".h", ".hpp", ".cpp"):
                (ring / path.name).write_text(path.read_text())
        build(folder, compiler, flags, [])
        if run(folder) != 0:
            print("WRONG: the source as it is fails")
            return 1
        for name, file, old, new, text in MUTANTS:
            original = (ring / file).read_text()
            pattern = r"\s+".join(map(re.escape, old.split()))
            mutated, count = re.subn(pattern, lambda _: new, original)
            if count != 1:
                print(f"WRONG: {name}: {count} places in {file}")
                wrong += 1
                continue
            (ring / file).write_text(mutated)
            build(folder, compiler, flags, [file] if file.endswith(".c") else [])
            said = run(folder, text)
            print(f"{'fails as it must' if said else 'WRONG: not noticed'}: {name}: {text}", flush=True)
            wrong += not said
            (ring / file).write_text(original)
            if file.endswith(".c"):
                (folder / (file + ".o")).unlink()
            else:
                for output in folder.glob("*.o"):
                    output.unlink()
    print(f"{len(MUTANTS)} mutants, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
