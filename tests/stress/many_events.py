#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""many_events.py PROGRAM COUNTER EVENTS [SEED]: that many events as fast as they come, while programs and recorders are killed.

Each round: the program's threads trace numbers, in one ownership and mode after the other, until a random count is reached;
then the recorder is killed, another takes over, and the program is killed; or the program alone. Every event whose
MAXLAT_TRACE returned must be in what was recorded, or in the books as lost, overwritten or unfinished.
"""
import itertools
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

from recording import LIMIT, LOSSES, MAXLAT, books_of, ended, page_of, record, wait_until

PROGRAM, COUNTER, EVENTS = sys.argv[1], sys.argv[2], int(sys.argv[3])
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randrange(10**6)
RECORD = 16  # bytes of a stress:number
MOST = 40_000_000  # of a round: its recording lies in a temporary folder


def reached(page, recorder, more):
    goal = sum(page_of(page)[0]) + more
    wait_until("events", lambda: sum(page_of(page)[0]) >= goal or recorder.poll() is not None)


def one_round(folder, draw, owner, mode, killed, most):
    page, traces = folder / "page", [folder / "first"]
    threads = draw.randrange(1, 4)
    size = draw.choice([16, 128, 1024]) * 1024
    options = ["--per", owner, "--mode", mode, "--size", str(size), "--count", draw.choice(["4", "16"]),
               "--deliver", draw.choice(["timer", "wakeup"]), "-e", "stress:number"]
    recorder = record(traces[0], options, "--", PROGRAM, "events=0", f"threads={threads}", f"page={page}", "numbers=1")
    reached(page, recorder, draw.randrange(1, most))
    pid = page_of(page)[1]
    if killed == "recorder":
        recorder.kill()
        recorder.wait(LIMIT)
        traces.append(folder / "second")
        recorder = record(traces[1], [], "-p", str(pid))
        wait_until("the second recorder", lambda: list(traces[1].glob("*/channel0-*")) or recorder.poll() is not None)
        reached(page, recorder, draw.randrange(1, most // 4))
    os.kill(pid, signal.SIGKILL)
    ended(recorder)

    counted, books = page_of(page)[0], books_of(traces[-1])
    read = subprocess.run([COUNTER, *traces], capture_output=True, text=True, timeout=LIMIT)
    what = f"{' '.join(options)}, {threads} threads, killed {killed}: {read.stdout}{read.stderr}{dict(books)} {counted[:threads]}"
    assert read.returncode == 0, what
    rows = [dict(zip(words[::2], map(int, words[1::2]))) for words in map(str.split, read.stdout.splitlines())]
    assert all(row["last"] <= counted[row["thread"]] for row in rows), what
    different, twice = (sum(row[name] for row in rows) for name in ("different", "twice"))
    lost = sum(books[name] for name in LOSSES)
    assert twice == 0 or killed == "recorder", what
    # A killed thread may be inside one event: whole and not counted yet, or reserved and never finished. And of each ring
    # the recorder may have been killed with a packet written that it had not yet said to be read: if writers overwrite that
    # before the next one comes, it is in the first trace, and in the books of the second.
    over = different + lost + books["unfinished"] - sum(counted)
    rings = threads if owner == "thread" else os.cpu_count()
    most_over = threads + (rings * size // RECORD if killed == "recorder" and mode == "overwrite" else 0)
    assert 0 <= over <= most_over, f"{over} too many: {what}"
    return sum(counted), different, lost


def main():
    print(f"seed {SEED}", flush=True)
    draw, traced, read, lost, rounds = random.Random(SEED), 0, 0, 0, 0
    kinds = itertools.cycle(itertools.product(("thread", "cpu"), ("discard", "overwrite"), ("program", "recorder")))
    for owner, mode, killed in kinds:
        if traced >= EVENTS and rounds >= 8:
            break
        with tempfile.TemporaryDirectory(prefix="maxlat-stress-") as name:
            os.environ["XDG_RUNTIME_DIR"] = name  # programs of other tests do not listen here
            results = one_round(pathlib.Path(name), draw, owner, mode, killed, min(MOST, EVENTS // 4))
        traced, read, lost, rounds = traced + results[0], read + results[1], lost + results[2], rounds + 1
        print(f"{rounds}: per {owner}, {mode}, killed {killed}: {traced} events so far, {read} read, {lost} in the books", flush=True)


main()
