#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""real_pairs_bench.py [MAXLAT [PAIRS [FOLDER]]]: does `maxlat compare` find what is worse on this machine, and does it cry wolf?

Pairs of builds of which nothing is new, and pairs of which the second is stalled on purpose (`maxlat load control`), under
several loads: eight runs of `maxlat npt` on CPU 1 for each build, a second each, in turns, so that what the machine does
meanwhile meets both. What others do sees the same runs, as in docs/compare.md: a fixed maximum (half as much again as the
largest of the base), a t-test on the means, and ranks of the means (Mann-Whitney). Root; 40 pairs take 20 minutes.
"""
import collections
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

MAXLAT = sys.argv[1] if len(sys.argv) > 1 else str(pathlib.Path(__file__).parents[1] / "build/release/cli/maxlat")
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 40
REPEATS = 8
CPU, OTHER_CPU = 1, 0
LOADS = ("idle", "cpu", "cache", "hackbench")  # of the other CPU
NEW = {  # what the second build has, as options of `maxlat load control`
    "nothing new": None,
    "a stall of 5 ms every 0.3 s": ["--stalls", "5ms", "--repeats", "100", "--spacing", "300ms"],
    "a stall of 100 us every 10 ms": ["--stalls", "100us", "--repeats", "1000", "--spacing", "10ms"],
}
KINDS = ["nothing new", "a stall of 5 ms every 0.3 s", "nothing new", "a stall of 100 us every 10 ms"]  # in turns
T_OF_14_DEGREES, U_OF_8_AND_8 = 1.761, 15  # one-sided, 5 %


def run(path, planted):
    meter = subprocess.Popen([MAXLAT, "npt", "-a", str(CPU), "-p", "80", "-i", "-D", "1s", "-q", "--json", path],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    plants = planted and subprocess.Popen([MAXLAT, "load", "control", "-a", str(CPU), "-p", "90", *planted],
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    meter.wait()
    if plants:
        plants.terminate()
        plants.wait()
    # A stall is another task's: by itself npt calls such a run not valid, and it would not be compared.
    result = json.loads(path.read_text())
    for phase in result["phases"]:
        phase["status"], phase["warnings"] = "ok", []
        phase.pop("reason", None)
    path.write_text(json.dumps(result))
    cpu = result["phases"][0]["per_cpu"][0]
    return cpu["max_ns"], cpu["mean_ns"]


def measure(folder, planted, draw):
    """Eight runs of each build, in turns; the maxima and means of both."""
    seen = {"base": [], "new": []}
    for repeat in range(REPEATS):
        for build in draw.sample(("base", "new"), 2):
            (folder / build).mkdir(exist_ok=True)
            seen[build].append(run(folder / build / f"{repeat}.json", planted if build == "new" else None))
    return seen["base"], seen["new"]


def found_by(folder, base, new):
    """Who calls the new build worse."""
    compare = subprocess.run([MAXLAT, "compare", "--fail-if-worse", folder / "base", folder / "new"], capture_output=True, text=True)
    if compare.returncode not in (0, 2):
        sys.exit(f"compare: exit status {compare.returncode}\n{compare.stdout}{compare.stderr}")
    base_means, new_means = [mean for _, mean in base], [mean for _, mean in new]
    error = ((statistics.variance(base_means) + statistics.variance(new_means)) / REPEATS) ** 0.5
    u = sum((a > b) + (a == b) / 2 for a in base_means for b in new_means)
    return {"maxlat compare": compare.returncode == 2,
            "fixed maximum": max(m for m, _ in new) > 1.5 * max(m for m, _ in base),
            "t-test on means": statistics.mean(new_means) - statistics.mean(base_means) > T_OF_14_DEGREES * error,
            "ranks of means": u <= U_OF_8_AND_8}


def main():
    draw = random.Random(1)
    table = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as scratch:
        for pair in range(PAIRS):
            kind, load = KINDS[pair % len(KINDS)], LOADS[pair // len(KINDS) % len(LOADS)]
            folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else scratch) / f"pair-{pair}"
            folder.mkdir(parents=True)
            other = None if load == "idle" else subprocess.Popen(
                [MAXLAT, "load", load, "-a", str(OTHER_CPU), "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                base, new = measure(folder, NEW[kind], draw)
            finally:
                if other:
                    other.terminate()
                    other.wait()
            found = found_by(folder, base, new)
            table[kind]["pairs"] += 1
            table[kind].update(name for name, yes in found.items() if yes)
            print(f"pair {pair + 1}, {load}, {kind}: worse by {', '.join(n for n, yes in found.items() if yes) or 'nobody'}", flush=True)
    judges = ("maxlat compare", "fixed maximum", "t-test on means", "ranks of means")
    print(f"\n| the new build has | pairs | {' | '.join(judges)} |\n|---|--:|{'--:|' * len(judges)}")
    for kind in NEW:
        print(f"| {kind} | {table[kind]['pairs']} | {' | '.join(str(table[kind][judge]) for judge in judges)} |")


if __name__ == "__main__":
    main()
