#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_programs.py BUILD: the programs of bench/papers/all make their tables whole, in three rounds; no figure is judged."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROWS = {"primitives": 13, "barriers": 2, "breakpoint": 8, "scaling": len(os.sched_getaffinity(0))}  # of its one table
wrong = []


def expect(found, what):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        wrong.append(what)


def ended(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100)


def program(path, rows):
    run = ended(path, "3")
    if run.returncode == 77:
        expect(run.stdout.strip().splitlines()[-1][0].islower(), f"{path.name} says why it cannot run here: {run.stdout.splitlines()[-1]}")
        return
    expect(run.returncode == 0, f"{path.name} ends well: {run.returncode} {run.stderr}")
    table = [line for line in run.stdout.splitlines() if line.startswith("| ")]
    expect(len(table) == rows + 1, f"{path.name} has a head and {rows} rows: {len(table)} lines")
    expect(len({line.count("|") for line in table}) == 1, f"{path.name}: each row has its cells")
    expect(not re.search(r"\b(nan|inf)\b|\| 0\.0+ \| 0\.0+ \|", run.stdout), f"{path.name}: each figure is one")
    expect(re.search(r"^\d+ rounds, \d+ ", run.stdout, re.M), f"{path.name} says of how many rounds")
    for argument in ("0", "many"):
        refused = ended(path, argument)
        expect(refused.returncode == 1 and refused.stderr.startswith("usage: "), f"{path.name} refuses \"{argument}\"")


def main(build):
    for name, rows in ROWS.items():
        program(build / f"bench/papers/paper_{name}", rows)
    nothing = ended(HERE / "all", "/nonexistent")
    expect(nothing.returncode == 1 and nothing.stderr.startswith("all: not built: "), "all says what is not built")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
