#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_real_pairs.py: what real_pairs_bench.py keeps of a run says of it what the run said, and what it says of pairs fails
where it must: a page with other figures, a comparison that finds nothing, one that cries wolf, a file that is no recording.

The pairs are made of a recorded run (docs/examples/gate/good), each run of them a little longer or shorter.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import recording

FOLDER = pathlib.Path(__file__).resolve().parent
RECORDED = json.loads((FOLDER.parents[1] / "docs/examples/gate/good/result.json").read_text())
RECORDED["phases"] = [phase for phase in RECORDED["phases"] if phase["kind"] == "npt"]
HEAD = "| the new build has | pairs | maxlat compare | fixed maximum | t-test on means | ranks of means |"
ALONE = "| nothing new | 2 | 0 | 0 | 0 | 0 |"
FOUND = "| a stall of 5 ms every 0.3 s | 1 | 1 | 0 | 1 | 1 |"
failures = []


def expect(found, what, said=""):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        failures.append(f"{what}\n{said}")


def stretched(times):
    run = json.loads(json.dumps(RECORDED))
    cpu = run["phases"][0]["per_cpu"][0]
    for name in ("min_ns", "max_ns", "mean_ns", "stddev_ns"):
        cpu[name] *= times
    cpu["timeline"]["max_ns"] = [ns * times for ns in cpu["timeline"]["max_ns"]]
    cpu["histogram"]["bins"] = [[low * times, high * times, count] for low, high, count in cpu["histogram"]["bins"]]
    return recording.kept_of(run)


def pair(kind, times):
    runs = {build: [stretched(by * (1 + 0.01 * repeat)) for repeat in range(8)] for build, by in (("good", 1), ("new", times))}
    return {"kind": kind, "load": "idle", "load_average": 1.0} | runs


def bench(*arguments, maxlat=None):
    environment = os.environ | ({"MAXLAT": str(maxlat)} if maxlat else {})
    ended = subprocess.run([sys.executable, FOLDER / "real_pairs_bench.py", *map(str, arguments)], capture_output=True, text=True,
                           env=environment, timeout=100)
    return ended.returncode, ended.stdout + ended.stderr


def keeps_what_was_said():
    """The samples, each in a bin within 1/128 of its own, and the figures to the digit."""
    was, cpu = (run["phases"][0]["per_cpu"][0] for run in (RECORDED, recording.result_of(stretched(1), "kept")))
    expect(all(cpu[name] == was[name] for name in (*recording.FIGURES, "timeline")), "the figures are kept", str(cpu))
    bins = cpu["histogram"]["bins"]
    expect(sum(count for _, _, count in bins) == was["samples"], "every sample is kept")
    expect(all(one[1] <= next_one[0] + 0.001 for one, next_one in zip(bins, bins[1:])), "bins in order")
    for level in (0.5, 0.99, 0.9999, 0.999999):
        edges = []
        for some in (was["histogram"]["bins"], bins):
            rank = level * was["samples"]
            edges.append(next(low for i, (low, _, _) in enumerate(some) if sum(one[2] for one in some[:i + 1]) >= rank))
        stays = edges[1] <= edges[0] + 0.001 and edges[0] <= edges[1] * recording.STEP + 0.001
        expect(stays, f"the quantile {level} stays in its bin", str(edges))


def holds(folder, file):
    page = folder / "page.md"
    page.write_text("\n".join((HEAD, ALONE, FOUND)) + "\n")
    status, said = bench("--from", file, "--holds", page)
    expect(status == 0 and all(row in said for row in (HEAD, ALONE, FOUND)), "pairs that are as the page says", said)
    page.write_text("\n".join((HEAD, ALONE, FOUND.replace("| 0 |", "| 1 |"))) + "\n")
    status, said = bench("--from", file, "--holds", page)
    expect(status == 1 and f"has not this row: {FOUND}" in said, "a page with another figure", said)
    page.write_text("\n".join((HEAD, ALONE.replace("| 2 | 0", "| 2 | 2"), FOUND.replace("| 1 | 1 | 0", "| 1 | 0 | 0"))) + "\n")
    for name, exit_status, complaint in (("blind", 0, "finds 0 of 1"), ("wolf", 2, "cries wolf in 2 of 2 pairs")):
        other = folder / name  # a comparison that always says the same
        other.write_text(f"#!/bin/sh\nexit {exit_status}\n")
        other.chmod(0o755)
        status, said = bench("--from", file, "--holds", page, maxlat=other)
        expect(status == 1 and complaint in said, f"a comparison that is {name}, whatever the page says", said)


def refuses(folder):
    wrong = folder / "wrong.xz"
    for content, pattern in ((b"{}", "is no recording of pairs"), (None, "No such file")):
        if content is not None:
            wrong.write_bytes(content)
        else:
            wrong.unlink()
        status, said = bench("--from", wrong)
        expect(status == 1 and pattern in said and said.count("\n") == 1, f"a file of {content}", said)
    recording.write(wrong, {}, [pair("nothing new", 1) | {"good": []}])
    status, said = bench("--from", wrong)
    expect(status == 1 and "0 and 8 runs" in said, "a pair that is half", said)


def main():
    keeps_what_was_said()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        file = folder / "pairs.xz"
        recording.write(file, {"measured": "for this test"},
                        [pair("nothing new", 1), pair("a stall of 5 ms every 0.3 s", 1.4), pair("nothing new", 1.002)])
        holds(folder, file)
        refuses(folder)
    print("\n".join(f"# {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
