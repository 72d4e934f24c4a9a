#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""real_pairs_bench.py [--pairs N] [--record FILE | --from FILE] [--holds PAGE]: does `maxlat compare` find what is worse on
a real machine, and does it cry wolf?

Pairs of builds of which nothing is new, and pairs of which the second is stalled on purpose, under several loads (measuring.py).
They are judged by `maxlat compare`, and by what others do with the same runs (judges.py). Root; 40 pairs take twenty minutes.

  --record FILE   writes the pairs there (recording.py), to judge them again
  --from FILE     judges recorded pairs, and measures nothing
  --holds PAGE    exit status 1 unless the table stands in this page, and compare finds and leaves alone what it promises

The program is that of the variable MAXLAT, else that of the preset release.
"""
import argparse
import collections
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

import judges
import measuring
import recording

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_FALSE_ALARMS, FEWEST_FOUND = 0.05, 0.95  # of all pairs with nothing new, and of all others


def about():
    """Where and by what the pairs were measured."""
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return {"measured": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ"),
            "command": " ".join([pathlib.Path(sys.argv[0]).name, *sys.argv[1:]]), "commit": commit.stdout.strip(),
            "kernel": platform.release(), "cpu": model[1] if model else platform.machine(), "cpus": os.cpu_count()}


def judged(maxlat, pairs):
    """How many pairs there are of each kind, and whom each judge calls worse."""
    table = collections.defaultdict(collections.Counter)
    for number, pair in enumerate(pairs, 1):
        found = judges.found_by(maxlat, pair)
        table[pair["kind"]].update(["pairs", *found])
        print(f"pair {number}, {pair['load']}, {pair['kind']}: worse by {', '.join(found) or 'nobody'}", flush=True)
    return table


def rows_of(table):
    return [f"| {kind} | {table[kind]['pairs']} | {' | '.join(str(table[kind][judge]) for judge in judges.JUDGES)} |"
            for kind in measuring.NEW if kind in table]


def broken_promises(table, page):
    """A line each."""
    lines = page.read_text().splitlines()
    for row in rows_of(table):
        if row not in lines:
            yield f"{page} has not this row: {row}"
    alone, stalled = table[measuring.NOTHING_NEW], collections.Counter()
    for kind in measuring.NEW:
        if kind != measuring.NOTHING_NEW:
            stalled.update(table[kind])
    ours = judges.JUDGES[0]
    if alone[ours] > MOST_FALSE_ALARMS * alone["pairs"]:
        yield f"{ours} cries wolf in {alone[ours]} of {alone['pairs']} pairs"
    if stalled[ours] < FEWEST_FOUND * stalled["pairs"]:
        yield f"{ours} finds {stalled[ours]} of {stalled['pairs']} builds that are worse"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=40)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--record", type=pathlib.Path)
    either.add_argument("--from", type=pathlib.Path, dest="recorded")
    parser.add_argument("--holds", type=pathlib.Path)
    return parser.parse_args()


def pairs_of(wanted, maxlat):
    """The pairs that are asked for, recorded or measured now."""
    if wanted.recorded:
        origin, pairs = recording.read(wanted.recorded)
        print("# " + ", ".join(f"{name}: {value}" for name, value in origin.items()))
        return pairs
    pairs = measuring.pairs(maxlat, wanted.pairs)
    if not wanted.record:
        return pairs
    origin, pairs = about(), list(pairs)
    recording.write(wanted.record, origin, pairs)
    return pairs


def main():
    wanted = arguments()
    maxlat = os.environ.get("MAXLAT", str(ROOT / "build/release/cli/maxlat"))
    try:
        table = judged(maxlat, pairs_of(wanted, maxlat))
    except (OSError, ValueError, judges.NotCompared) as wrong:
        sys.exit(f"real_pairs_bench: {wrong}")
    print(f"\n| the new build has | pairs | {' | '.join(judges.JUDGES)} |\n|---|--:|{'--:|' * len(judges.JUDGES)}")
    print("\n".join(rows_of(table)))
    broken = list(broken_promises(table, wanted.holds)) if wanted.holds else []
    for line in broken:
        print(f"not ok - {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
