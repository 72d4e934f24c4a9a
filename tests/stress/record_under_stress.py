#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_under_stress.py PROGRAM [SECONDS [SEED]]: recordings with random settings and random misfortune, until the time is over.

Each round draws the ring (per thread or CPU, size, number, delivery, polling, what it does when it is full), the number of
threads, and what happens: nothing, a consumer that is stopped again and again (slow), a program that is, a program or a
consumer that is killed. A flight recorder is asked for snapshots meanwhile. Then the books must balance to the event, and
every event that is there must be the one that was traced, whole and in its thread's order. By hand for an hour: record_under_stress.py build/release/tests/stress/stress_program 3600
"""
import collections
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from recording import LIMIT, LOSSES, MAXLAT, books_of, ended, page_of, record, wait_until

PROGRAM = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10**6)
EVENT = re.compile(r"stress:load: \{ thread = (\d+), value = (\d+), text = \"([a-p]*)\" \}")
MODES = ("discard", "overwrite", "flight recorder")
FATES = ("none", "slow consumer", "paused program", "killed program", "killed consumer")


def text_of(thread, value):
    """As in stress_program.cpp."""
    bits = ((thread << 56) ^ value) * 0x9e3779b97f4a7c15 % 2**64
    bits ^= bits >> 29
    kind = bits % 100
    length = bits // 100 % (64 if kind < 90 else 1500 if kind < 99 else 6000)
    period = "".join(chr(ord("a") + (bits >> i & 15)) for i in range(48))
    return (period * (length // 48 + 1))[:length]


def events_of(trace, may_be_torn):
    """{(thread, value)}: each checked to the byte, once, and in its thread's order."""
    read = subprocess.run([MAXLAT, "trace", "print", trace], capture_output=True, text=True, timeout=LIMIT)
    # Lines say how many were lost, and where. A packet that a newer one replaced is missing, and nothing is lost.
    lost = [line for line in read.stdout.splitlines() if re.match(r"--- \d+ events? lost", line)]
    assert read.returncode == (3 if lost else 0) or may_be_torn and read.returncode == 3, \
        f"exit status {read.returncode}: {lost[:3]} {read.stderr}"
    last, events = {}, set()
    for line in read.stdout.splitlines():
        if line.startswith("--- "):
            continue
        found = EVENT.search(line)
        assert found, line[:300]
        thread, value = int(found[1]), int(found[2])
        assert found[3] == text_of(thread, value), f"not what thread {thread} traced as {value}: {line[:300]}"
        assert last.get(thread, -1) < value, f"thread {thread}: {value} after {last[thread]}"
        last[thread] = value
        events.add((thread, value))
    return events


def stop_and_go(pid, draw, alive):
    """Stopped and continued, a few milliseconds each, until it has ended."""
    for _ in range(draw.randrange(5, 30)):
        try:
            if alive():
                os.kill(pid, signal.SIGSTOP)
                time.sleep(draw.random() * 0.02)
                os.kill(pid, signal.SIGCONT)
                time.sleep(draw.random() * 0.01)
        except ProcessLookupError:
            return


def ask_for_snapshots(recorder, page, draw):
    for _ in range(draw.randrange(4)):
        goal = page_of(page)[0][0] + draw.randrange(1, 3000)
        wait_until("events to take a snapshot of", lambda: page_of(page)[0][0] >= goal or recorder.poll() is not None)
        if recorder.poll() is None:
            recorder.send_signal(signal.SIGUSR1)


def one_round(folder, draw):
    threads, fate, mode = draw.randrange(1, 5), draw.choice(FATES), draw.choice(MODES)
    size, count = draw.choice(["4K", "8K", "64K"]), draw.choice(["2", "4", "16"])
    if fate == "killed consumer":  # what it lost dies with it: room, so that nothing is
        size, count, mode = "1M", "16", "discard"
    deliver, flush = draw.choice(["timer", "wakeup"]), draw.choice(["0", "1ms", "100ms"])
    options = ["--per", draw.choice(["thread", "cpu"]), "--size", size, "--count", count, "--deliver", deliver, "--flush", flush]
    if deliver == "timer" or flush == "0":  # else nothing is done every period, and record refuses it
        options += ["--period", draw.choice(["50us", "1ms", "20ms"])]
    options += {"discard": [], "overwrite": ["--mode", "overwrite"], "flight recorder": ["--flight-recorder", "--min-interval", "0"]}[mode]
    endless = fate.startswith("killed")
    page, trace, rest = folder / "page", folder / "trace", folder / "rest"
    what = f"{fate}: {' '.join(options)}, {threads} threads"
    recorder = record(trace, options, "--", PROGRAM, f"events={0 if endless else draw.randrange(1, 15000)}", f"threads={threads}",
                      f"page={page}")
    traces = [trace]
    alive = lambda: recorder.poll() is None
    if mode == "flight recorder":
        ask_for_snapshots(recorder, page, draw)
    if fate == "slow consumer":
        stop_and_go(recorder.pid, draw, alive)
    elif fate != "none":
        goal = draw.randrange(1, 10000)
        wait_until("some events", lambda: page_of(page)[0][0] >= goal or not alive())
        if endless:
            assert alive(), f"{what}: {ended(recorder)}"
            pid = page_of(page)[1]
            if fate == "killed consumer":
                recorder.kill()
                recorder.wait(LIMIT)  # its pipes stay open: the program has them
                recorder = record(rest, [], "-p", str(pid))
                traces.append(rest)
                wait_until("the second records", lambda: list(rest.glob("*/channel0-*")) or not alive())
                more = page_of(page)[0][0] + draw.randrange(1, 5000)
                wait_until("more events", lambda: page_of(page)[0][0] >= more or not alive())
            os.kill(pid, signal.SIGKILL)
        elif alive():
            pid = page_of(page)[1]
            stop_and_go(pid, draw, lambda: alive() and os.path.exists(f"/proc/{pid}"))
    ended(recorder)

    counted, books = page_of(page)[0], books_of(traces[-1])
    each = [events_of(one, one != traces[-1]) for one in traces]
    events = set().union(*each)
    lost = sum(books[name] for name in LOSSES)
    last = each[-1]
    # Of two snapshots the second may have what was not whole at the first once more.
    twice = books["recorded"] - len(last)
    assert twice == 0 or mode == "flight recorder" and twice > 0, f"{what}: {dict(books)}, {len(last)} read"
    check = subprocess.run([MAXLAT, "trace", "check", traces[-1]], capture_output=True, text=True, timeout=LIMIT)
    assert check.returncode == 0, f"{what}: {check.stdout}{check.stderr}"
    if endless:  # the last event of each thread may be whole without having been counted
        missing = sum(counted) - len(events) - lost
        assert all(value <= counted[thread] for thread, value in events), what
        assert missing <= 0 or fate == "killed consumer" and lost > 0, f"{what}: {missing} missing, {dict(books)}"
    else:
        assert len(events) + lost == sum(counted) == books["produced"] - twice, f"{what}: {dict(books)}, {len(events)} read, {sum(counted)} traced"
    return fate, mode, len(events), lost


def main():
    print(f"seed {SEED}", flush=True)
    draw = random.Random(SEED)
    totals = collections.defaultdict(collections.Counter)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end or (set(FATES) | set(MODES)) - set(totals):
        with tempfile.TemporaryDirectory(prefix="maxlat-stress-") as name:
            os.environ["XDG_RUNTIME_DIR"] = name  # programs of other tests do not listen here
            fate, mode, events, lost = one_round(pathlib.Path(name), draw)
        for what in (fate, mode):
            totals[what].update(rounds=1, events=events, lost=lost)
    for what, total in totals.items():
        print(f"{what}: {total['rounds']} rounds, {total['events']} events read, {total['lost']} lost and counted")


main()
