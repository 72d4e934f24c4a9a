# SPDX-License-Identifier: MIT
"""Measures pairs of builds on this machine: eight runs of `maxlat npt` on CPU 1 for each build, a second each, in turns, so that
what the machine does meanwhile meets both. The other CPU has a load. Root, for the priorities."""
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import judges
import recording

CPU, OTHER_CPU = 1, 0
LOADS = ("idle", "cpu", "cache", "hackbench")  # of the other CPU
NOTHING_NEW = "nothing new"
NEW = {  # what the second build has, as options of `maxlat load control`
    NOTHING_NEW: None,
    "a stall of 5 ms every 0.3 s": ["--stalls", "5ms", "--repeats", "100", "--spacing", "300ms"],
    "a stall of 100 µs every 10 ms": ["--stalls", "100us", "--repeats", "1000", "--spacing", "10ms"],
}
KINDS = (NOTHING_NEW, "a stall of 5 ms every 0.3 s", NOTHING_NEW, "a stall of 100 µs every 10 ms")  # in turns


@contextlib.contextmanager
def beside(*command):
    """Runs the command for as long as the block lasts."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def run(maxlat, planted):
    """What is kept of a run, with these stalls in it."""
    stalls = beside(maxlat, "load", "control", "-a", str(CPU), "-p", "90", *planted) if planted else contextlib.nullcontext()
    with tempfile.TemporaryDirectory() as scratch, stalls:
        result = pathlib.Path(scratch) / "result.json"
        meter = subprocess.run([maxlat, "npt", "-a", str(CPU), "-p", "80", "-i", "-D", "1s", "-q", "--json", result],
                               capture_output=True, text=True)
        try:
            # A stall is another task's: by itself npt calls such a run not valid. recording.result_of() does not.
            return recording.kept_of(json.loads(result.read_text()))
        except (OSError, ValueError, KeyError) as wrong:
            raise SystemExit(f"real_pairs_bench: npt, exit status {meter.returncode}: {wrong}\n{meter.stderr}") from wrong


def pair(maxlat, number, draw):
    kind, load = KINDS[number % len(KINDS)], LOADS[number // len(KINDS) % len(LOADS)]
    seen = {"kind": kind, "load": load, "load_average": round(os.getloadavg()[0], 2), "good": [], "new": []}
    other = contextlib.nullcontext() if load == "idle" else beside(maxlat, "load", load, "-a", str(OTHER_CPU), "-q")
    with other:
        for _ in range(judges.REPEATS):
            for build in draw.sample(("good", "new"), 2):
                seen[build].append(run(maxlat, NEW[kind] if build == "new" else None))
    return seen


def pairs(maxlat, count):
    draw = random.Random(1)
    for number in range(count):
        print(f"# measuring pair {number + 1} of {count}", file=sys.stderr, flush=True)
        yield pair(maxlat, number, draw)
