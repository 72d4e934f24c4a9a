#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""comparison_controls.py [--runs N] [--duration TIME] [--first SEED] CONTROL...

maxlat npt --compare on arms whose answer is known:

  none      none against none, no difference
  maxlat    maxlat:timer against itself, at 100k events a second, so that none is lost
  planted   delay:0ns against delay:50ns, which must be named on average and at the median, and against
            delay:100us/1000000, which must be named in the tail, and not at the median

Prints a row for each run and a last line with the tally. Exit status 1 when a control of A against A differs in more
than one run of twenty, or a planted effect is not found in each run. Not a part of ctest: it measures this machine,
takes minutes, and wants it for itself. The program is $MAXLAT, or maxlat. docs/method.md says more.
"""
import argparse
import json
import os
import subprocess
import sys

MAXLAT = os.environ.get("MAXLAT", "maxlat")
ONCE_IN = 20
TAIL = ("p99.99", "p99.9999", "max")


def compared(arms, seed, arguments):
    run = subprocess.run([MAXLAT, "npt", "--compare", arms, "--seed", str(seed), "--outliers", "0", "-q", "--json", "-",
                          *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{arms}: exit status {run.returncode}: {run.stderr.strip()}")
    return [comparison for comparison in json.loads(run.stdout)["comparisons"] if not comparison.get("beside")]


def named(comparison):
    """{measure: ns} of what is called a difference."""
    return {m["measure"]: m["difference_ns"] for m in comparison["measures"] if m["verdict"] == "different"}


def row(number, seed, good, comparison):
    print(f"{number:3}  seed {seed:<5}  {'ok ' if good else 'NOT'}  {comparison['verdict']}", flush=True)
    return good


def a_against_a(arm, more):
    def control(number, seed, arguments):
        comparison, = compared(f"{arm},{arm}", seed, [*arguments, *more])
        return row(number, seed, not named(comparison), comparison)
    return control


def planted(number, seed, arguments):
    every, rare = compared("delay:0ns,delay:50ns,delay:100us/1000000", seed, arguments)
    shift, tail = named(every), named(rare)
    # 50 ns are busy-waited at least, and a read of the counter or two more.
    good = all(45 <= shift.get(measure, 0) <= 100 for measure in ("mean", "p50"))
    found = any(tail.get(measure, 0) > 0 for measure in TAIL) and "p50" not in tail
    return row(number, seed, good, every) & row(number, seed, found, rare)


CONTROLS = {"none": a_against_a("none", []), "maxlat": a_against_a("maxlat:timer", ["-f", "100k"]), "planted": planted}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("controls", nargs="+", choices=CONTROLS, metavar="CONTROL", help=", ".join(CONTROLS))
    parser.add_argument("--runs", type=int, default=ONCE_IN)
    parser.add_argument("--duration", default="800ms", help="of each arm in each round")
    parser.add_argument("--first", type=int, default=1, metavar="SEED", help="of the first run; the next has the next")
    options = parser.parse_args()
    failed = False
    for name in options.controls:
        good = sum(CONTROLS[name](number, options.first + number - 1, ["-D", options.duration])
                   for number in range(1, options.runs + 1))
        allowed = 0 if name == "planted" else -(-options.runs // ONCE_IN)
        failed |= options.runs - good > allowed
        what = "both effects found and named" if name == "planted" else "no difference"
        print(f"{name}: {what} in {good} of {options.runs} runs", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
