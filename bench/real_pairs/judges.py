# SPDX-License-Identifier: MIT
"""Who calls the new build of a pair worse: `maxlat compare`, and what others do with the same runs, as in docs/compare.md.

The others see what they always see: maxima, or means. Each test has a level of 5 %, both sides together, as google/benchmark's
compare.py has it for its ranks; worse is the upper side.
"""
import json
import pathlib
import statistics
import subprocess
import tempfile

import recording

REPEATS = 8  # the two numbers below are for these
T_OF_14_DEGREES, U_OF_8_AND_8 = 2.145, 13  # two-sided, 5 %
JUDGES = ("maxlat compare", "fixed maximum", "t-test on means", "ranks of means")


class NotCompared(Exception):
    """`maxlat compare` said neither worse nor not worse; with what it said."""


def worse_by_compare(maxlat, pair):
    with tempfile.TemporaryDirectory() as scratch:
        for build in ("good", "new"):
            folder = pathlib.Path(scratch) / build
            folder.mkdir()
            for number, run in enumerate(pair[build]):
                (folder / f"{number}.json").write_text(json.dumps(recording.result_of(run, f"{build}-{number}")))
        said = subprocess.run([maxlat, "compare", "--fail-if-worse", "good", "new"], cwd=scratch, capture_output=True, text=True,
                              timeout=120)
    if said.returncode not in (0, 2):
        raise NotCompared(f"compare: exit status {said.returncode}\n{said.stdout}{said.stderr}")
    return said.returncode == 2


def worse_by_maximum(good, new):
    return max(run["max_ns"] for run in new) > 1.5 * max(run["max_ns"] for run in good)


def worse_by_t(good, new):
    error = ((statistics.variance(good) + statistics.variance(new)) / REPEATS) ** 0.5
    return statistics.mean(new) - statistics.mean(good) > T_OF_14_DEGREES * error


def worse_by_ranks(good, new):
    return sum((a > b) + (a == b) / 2 for a in good for b in new) <= U_OF_8_AND_8


def found_by(maxlat, pair):
    """The judges that call the new build worse. ERRORS: NotCompared."""
    good, new = pair["good"], pair["new"]
    if (len(good), len(new)) != (REPEATS, REPEATS):
        raise NotCompared(f"{len(good)} and {len(new)} runs, and {REPEATS} of each are a pair")
    means = [[run["mean_ns"] for run in build] for build in (good, new)]
    found = (worse_by_compare(maxlat, pair), worse_by_maximum(good, new), worse_by_t(*means), worse_by_ranks(*means))
    return [judge for judge, yes in zip(JUDGES, found) if yes]
