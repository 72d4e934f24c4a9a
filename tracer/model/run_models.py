#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Runs the Promela models of the tracer: the real ones must pass, every mutant and every coverage probe must fail, by
the one assertion that is named for it (model_cases.py, assertions.pml): all others are off in that run.

Prints one line per run: verdict, states, depth, CPU seconds, memory. Exit status 0 when all is as it must be, 1 when
not, 77 when spin or a C compiler is missing. --long adds the larger state spaces (about 3 GiB and 15 minutes).
"""

import argparse
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from model_cases import CASES, CYCLE, LONG_CASES, PASSES

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY_LIMIT_MIB = 3500
CACHED = ["ccache"] if shutil.which("ccache") else []  # compiling takes longer than most searches
CASE_LIMIT_S = 600  # wall time, on a machine that does other things too
LARGE = ("ring", "session", "event_list")  # models of many states


class Outcome:
    def __init__(self, text, seconds):
        def number(pattern):
            found = re.search(pattern, text)
            return int(float(found.group(1))) if found else 0

        self.text = text
        self.error = ""
        self.seconds = seconds
        self.states = number(r"(\d[\d.e+]*) states, stored")
        self.depth = number(r"depth reached (\d+)")
        self.mib = number(r"([\d.]+)\s+total actual memory usage")
        complete = "errors: 0" in text and "max search depth too small" not in text and "out of memory" not in text
        if found := re.search(r"pan:1: (assertion violated .*|invalid end state|non-progress cycle)", text):
            self.verdict = "fails"
            self.error = found.group(1)
        elif complete and "Search not completed" not in text:
            self.verdict = "passes"
        else:
            self.verdict = "incomplete"


def named(error, model_text):
    """`assertion violated ((condition)&&7)` with the name for the 7: spin counts a model's mtype from its end."""
    names = re.findall(r"\w+", "".join(re.findall(r"mtype = \{(.*?)\}", model_text, re.DOTALL)))
    return re.sub(r"&&(\d+)\)", lambda found: f" && {names[-int(found.group(1))]})", error)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(model, definitions, only):
    """Where one assertion must fail, nothing else may end the run: not even a deadlock."""
    flags = ["-D" + word for word in definitions.split()]
    options = []
    if only not in (PASSES, CYCLE):
        flags.append("-DONLY=" + only)
        options.append("-E")
    if "NP" in definitions.split():
        options += ["-l", "-f"] if "FAIR" in definitions.split() else ["-l"]
        search = ["-DNP", "-DNFAIR=3"]
    else:
        search = ["-DSAFETY"]
    # A mutant stops soon: compiling it well would cost more than it saves. So it would where the whole is small.
    optimise = "-O0" if only is not PASSES else "-O2" if model in LARGE else "-O1"
    with tempfile.TemporaryDirectory() as folder:
        for part in glob.glob(os.path.join(HERE, "*.pml")):
            shutil.copy(part, folder)

        def call(command):
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=CASE_LIMIT_S, check=False)
            return done.returncode, done.stdout

        for command in (["spin", "-a", *flags, model + ".pml"],
                        [*CACHED, "gcc", optimise, "-w", *search, "-DCOLLAPSE", "-DVECTORSZ=2048",
                         f"-DMEMLIM={MEMORY_LIMIT_MIB}", "-c", "pan.c", "-o", "pan.o"],
                        ["gcc", "-o", "pan", "pan.o"]):
            status, text = call(command)
            if status != 0:
                return Outcome(text, 0)
        begin = cpu_seconds()
        try:
            # The table is filled with zeroes, so a small model has a small one.
            _, text = call(["./pan", "-m100000", "-w22" if model in LARGE else "-w18", *options])
        except subprocess.TimeoutExpired:
            text = f"not finished within {CASE_LIMIT_S} s"
        outcome = Outcome(text, cpu_seconds() - begin)
        if outcome.error:
            outcome.error = named(outcome.error, call(["gcc", "-E", "-P", "-x", "c", *flags, model + ".pml"])[1])
        return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="also the larger state spaces")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose name contains TEXT")
    options = parser.parse_args()
    for tool in ("spin", "gcc"):
        if shutil.which(tool) is None:
            print(f"run_models: {tool} is not installed")
            return 77

    cases = [case for case in CASES + (LONG_CASES if options.long else []) if options.only in case[0]]
    if not cases:
        print(f"run_models: no case is named like '{options.only}'")
        return 1
    wrong = 0
    begin = cpu_seconds()
    print(f"{'case':41} {'must':6} {'does':10} {'states':>10} {'depth':>6} {'CPU s':>6} {'MiB':>5}"
          "  by the assertion")
    for name, model, definitions, expected in cases:
        outcome = run(model, definitions, expected)
        must = "passes" if expected is PASSES else "fails"
        print(f"{name:41} {must:6} {outcome.verdict:10} {outcome.states:10} {outcome.depth:6} {outcome.seconds:6.1f} "
              f"{outcome.mib:5}  {expected or ''}".rstrip(), flush=True)
        if outcome.verdict != must:
            wrong += 1
            print(f"  WRONG: {model}.pml {definitions} {outcome.error}", *outcome.text.splitlines()[:40], sep="\n  | ")
    print(f"{len(cases)} cases, {wrong} wrong, {cpu_seconds() - begin:.0f} CPU seconds with compiling")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
