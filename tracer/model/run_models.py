#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Runs the Promela models of the ring: the real ones must pass, every mutant and every coverage probe must fail.

Prints one line per run: verdict, states, depth, CPU seconds, memory. Exit status 0 when all is as it must be, 1 when
not, 77 when spin or a C compiler is missing. --long adds the larger state spaces (about 3 GiB and 10 minutes).
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

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY_LIMIT_MIB = 3500
CASE_LIMIT_S = 600  # wall time, on a machine that does other things too

# Two widths each, all starting just before the counters wrap. Small counters alone prove little (see ring.pml, WIDTHS).
W16 = "W=16 START=8 "
W32 = "W=32 START=24 "
W64 = "W=64 START=56 "
DISCARD = "N0=2 N1=3 "
OVERWRITE = "OVERWRITE N0=2 N1=3 "
FULL_STOP = "SB=2 W=16 START=12 OVERWRITE N0=2 N1=5 "  # a record fills a sub-buffer: many passes in few steps

# name, model, definitions, must it pass?
CASES = [
    ("discard, nested", "ring", W16 + DISCARD, True),
    ("discard, nested, wider", "ring", W64 + DISCARD, True),
    ("discard, more events", "ring", W32 + "N0=2 N1=4", True),
    ("discard, flush", "ring", W32 + "FLUSH " + DISCARD, True),
    ("discard, opening ahead", "ring", W32 + "FLUSH OPEN_AHEAD N0=2 N1=2", True),
    ("discard, time stamps", "ring", W32 + "TIME N0=2 N1=2", True),
    ("discard, three levels", "ring", W32 + "LEVELS=3 N0=1 N1=1 N2=2", True),
    ("discard, parallel writers", "ring", W32 + "PARALLEL N0=2 N1=2", True),
    ("discard, parallel, three writers", "ring", W32 + "PARALLEL LEVELS=3 N0=1 N1=1 N2=1", True),
    ("discard, four sub-buffers", "ring", "W=64 START=48 NSB=4 N0=2 N1=3", True),
    ("overwrite, nested", "ring", W32 + OVERWRITE, True),
    ("overwrite, nested, wider", "ring", W64 + OVERWRITE, True),
    ("overwrite, many passes", "ring", FULL_STOP, True),
    ("overwrite, many passes, wider", "ring", FULL_STOP.replace("W=16 START=12", "W=32 START=28"), True),
    ("overwrite, flush", "ring", W32 + "FLUSH OVERWRITE N0=2 N1=2", True),
    ("overwrite, opening ahead", "ring", W32 + "OPEN_AHEAD OVERWRITE N0=2 N1=2", True),
    ("overwrite, time stamps", "ring", W32 + "TIME OVERWRITE N0=2 N1=2", True),
    ("overwrite, three levels", "ring", W32 + "OVERWRITE LEVELS=3 N0=1 N1=1 N2=1", True),
    ("overwrite, parallel writers", "ring", W32 + "OVERWRITE PARALLEL N0=2 N1=2", True),
    ("overwrite, four sub-buffers", "ring", "W=64 START=48 NSB=4 OVERWRITE N0=1 N1=4", True),
    ("promotion, weak memory", "promotion", "", True),
    ("promotion, x86", "promotion", "TSO", True),
    ("x86 needs no promotion", "promotion", "TSO M_NO_PROMOTION", True),
    ("x86 needs no reader barrier", "promotion", "TSO M_NO_READER_BARRIER", True),
    # Mutants. The widest counters, so that a failure is the algorithm's and not the wrap's.
    ("delivery test as printed", "ring", W64 + DISCARD + "M_PRINTED_DELIVERY", False),
    ("delivery test as printed, overwrite", "ring", W64 + OVERWRITE + "M_PRINTED_DELIVERY", False),
    ("add, then look", "ring", W64 + "N0=2 N1=4 M_ADD_THEN_LOOK", False),
    ("add, then look, overwrite", "ring", W64 + OVERWRITE + "M_ADD_THEN_LOOK", False),
    ("flag cleared after commit_seq", "ring", W64 + OVERWRITE + "M_LATE_CLEAR", False),
    ("no pass tag", "ring", W64 + OVERWRITE + "M_NO_TAG", False),
    ("no equation 3", "ring", W64 + OVERWRITE + "M_NO_EQUATION_3", False),
    ("reference flag removed", "ring", W64 + OVERWRITE + "M_NO_FLAG", False),
    ("old packet not claimed", "ring", W64 + OVERWRITE + "M_NO_OLD_CLAIM", False),
    ("open packet unchecked", "ring", W64 + OVERWRITE + "M_OPEN_UNCHECKED", False),
    ("K42's buffersProduced", "ring", W64 + DISCARD + "M_K42", False),
    ("time stamp outside the loop", "ring", W64 + "TIME N0=2 N1=2 M_TIME_OUTSIDE", False),
    ("flush of an empty packet", "ring", W64 + DISCARD + "FLUSH OPEN_AHEAD M_FLUSH_EMPTY", False),
    ("opened ahead and not free", "ring", W64 + DISCARD + "FLUSH OPEN_AHEAD M_OPEN_BLIND", False),
    ("opened ahead and not free, overwrite", "ring", W64 + OVERWRITE + "FLUSH OPEN_AHEAD M_OPEN_BLIND", False),
    ("flush opens the next packet", "ring", W64 + DISCARD + "FLUSH M_OPENING_FLUSH", False),
    ("sub-buffer size 3", "ring", "W=16 SB=3 N0=2 N1=4", False),
    ("sub-buffer size 3, wider", "ring", "W=32 START=24 SB=3 N0=2 N1=4", False),
    ("no reader barrier", "promotion", "M_NO_READER_BARRIER", False),
    ("no promotion", "promotion", "M_NO_PROMOTION", False),
    ("no compiler barrier", "promotion", "M_NO_COMPILER_BARRIER", False),
    ("no compiler barrier, x86", "promotion", "TSO M_NO_COMPILER_BARRIER", False),
    ("put without a barrier", "promotion", "M_PLAIN_PUT", False),
    ("store before the test of read_count", "promotion", "M_NO_CONTROL", False),
    # Coverage.
    ("cover: lost_wrap", "ring", W64 + OVERWRITE + "COVER_LOST_WRAP", False),
    ("cover: reader pushed", "ring", W64 + OVERWRITE + "COVER_PUSHED", False),
    ("cover: exchange lost", "ring", W64 + OVERWRITE + "COVER_EXCHANGE", False),
    ("cover: counters wrapped", "ring", W64 + DISCARD + "COVER_WRAPPED", False),
    ("cover: promotion", "promotion", "COVER", False),
]

LONG_CASES = [
    ("discard, three levels, more", "ring", W32 + "LEVELS=3 N0=1 N1=2 N2=2", True),
    ("overwrite, more events", "ring", W64 + "OVERWRITE N0=2 N1=4", True),
    ("overwrite, many more passes", "ring", FULL_STOP.replace("N1=5", "N1=6"), True),
    ("discard, parallel, more", "ring", W32 + "PARALLEL N0=3 N1=3", True),
]


class Outcome:
    def __init__(self, text, seconds):
        def number(pattern):
            found = re.search(pattern, text)
            return int(float(found.group(1))) if found else 0

        self.text = text
        self.seconds = seconds
        self.states = number(r"(\d[\d.e+]*) states, stored")
        self.depth = number(r"depth reached (\d+)")
        self.mib = number(r"([\d.]+)\s+total actual memory usage")
        complete = "errors: 0" in text and "max search depth too small" not in text and "out of memory" not in text
        if re.search(r"pan:1: (assertion violated|invalid end state)", text):
            self.verdict = "fails"
        elif complete and "Search not completed" not in text:
            self.verdict = "passes"
        else:
            self.verdict = "incomplete"


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(model, definitions, optimise):
    flags = ["-D" + word for word in definitions.split()]
    with tempfile.TemporaryDirectory() as folder:
        for part in glob.glob(os.path.join(HERE, "*.pml")):
            shutil.copy(part, folder)

        def call(command):
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=CASE_LIMIT_S, check=False)
            return done.returncode, done.stdout

        for command in (["spin", "-a", *flags, model + ".pml"],
                        ["gcc", optimise, "-w", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=2048",
                         f"-DMEMLIM={MEMORY_LIMIT_MIB}", "-o", "pan", "pan.c"]):
            status, text = call(command)
            if status != 0:
                return Outcome(text, 0)
        begin = cpu_seconds()
        try:
            _, text = call(["./pan", "-m100000", "-w22"])
        except subprocess.TimeoutExpired:
            text = f"not finished within {CASE_LIMIT_S} s"
        return Outcome(text, cpu_seconds() - begin)


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
    print(f"{'case':38} {'must':6} {'does':10} {'states':>10} {'depth':>6} {'CPU s':>6} {'MiB':>5}")
    for name, model, definitions, passes in cases:
        # A mutant stops soon: compiling it well would cost more than it saves.
        outcome = run(model, definitions, "-O2" if passes else "-O0")
        must = "passes" if passes else "fails"
        print(f"{name:38} {must:6} {outcome.verdict:10} {outcome.states:10} {outcome.depth:6} {outcome.seconds:6.1f} "
              f"{outcome.mib:5}", flush=True)
        if outcome.verdict != must:
            wrong += 1
            print(f"  WRONG: {model}.pml {definitions}", *outcome.text.splitlines()[:40], sep="\n  | ")
    print(f"{len(cases)} cases, {wrong} wrong, {cpu_seconds() - begin:.0f} CPU seconds with compiling")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
