#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_compare.py RUN: eight repeats of a build against eight of the same, and of one whose latencies are half as long again.

Each is the recorded run with every latency a little longer or shorter: exit status 0 for the same build, 2 for the slower one,
and the page says what the terminal says.
"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from series_of_runs import stretch

RECORDED = json.loads((pathlib.Path(sys.argv[1]) / "result.json").read_text())
failures = []


def expect(found, what, said=""):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        failures.append(f"{what}\n{said}")


def named(times, name):
    run = copy.deepcopy(RECORDED)
    run["run"]["id"] = name
    for phase in run["phases"]:
        stretch(phase, times)
    return run


def build(folder, name, times):
    for repeat in range(8):
        place = pathlib.Path(folder) / name / str(repeat)
        place.mkdir(parents=True)
        (place / "result.json").write_text(json.dumps(named(times * (1 + 0.01 * repeat), f"{name}-{repeat}")))
    return str(pathlib.Path(folder) / name)


def compare(*arguments):
    ended = subprocess.run([os.environ["MAXLAT"], "compare", "--fail-if-worse", *arguments], capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stdout + ended.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        good, again, slow = build(folder, "good", 1), build(folder, "again", 1.002), build(folder, "slow", 1.5)
        status, said = compare(good, again)
        expect(status == 0 and "npt in again: no difference is shown" in said, "the same build is no worse", said)
        status, said = compare(good, slow)
        expect(status == 2 and "npt in slow: worse, p50 x 1.5" in said, "the slower build is worse", said)
        expect("cries wolf" in said and "in these runs" not in said, "repeats decide", said)
        status, said = compare(slow, good)
        expect(status == 0 and "better, p50 x 0.66" in said, "the other way round it is better", said)
        if shutil.which("gnuplot"):
            page = f"{folder}/page.html"
            compare(good, slow, "-o", page)
            text = pathlib.Path(page).read_text()
            expect(">Worse</h2>" in text and text.count("<svg") == 2, "the page says so, too")
    print("\n".join(f"# {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
