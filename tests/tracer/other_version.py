#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""other_version.py PROGRAM LIBRARY: a program of another version of the library beside one of ours in one recording. Where its
memory cannot be read, one line says that it is not recorded, and why; the other one is, whole. One that has only more than we
know is recorded like ours."""
import os
import re
import subprocess
import sys
import tempfile

MAXLAT, PROGRAM, LIBRARY = os.environ["MAXLAT"], sys.argv[1], sys.argv[2]
REFUSED = {"older": r"layout \d+ where this one reads \d+", "newer": r"layout \d+ where this one reads \d+",
           "feature": "features that this one does not know"}


def record(folder, other):
    """RETURNS: exit status, lines of stderr, printed events."""
    both = f'"{PROGRAM}" events=100 & LD_PRELOAD="{LIBRARY}" OTHER={other} "{PROGRAM}" events=100 && wait'
    ended = subprocess.run([MAXLAT, "trace", "record", "-o", f"{folder}/trace", "-e", "test:count", "--", "sh", "-c", both],
                           capture_output=True, text=True, timeout=60)
    printed = subprocess.run([MAXLAT, "trace", "print", f"{folder}/trace"], capture_output=True, text=True, timeout=60, check=True)
    return ended.returncode, ended.stderr.splitlines(), len(printed.stdout.splitlines())


for other, why in REFUSED.items():
    with tempfile.TemporaryDirectory() as folder:
        status, lines, printed = record(folder, other)
        assert status == 3, (other, status, lines)
        expected = rf"not recorded: traced_program \(process \d+\): .* {why}, is of another version of maxlat$"
        assert len(lines) == 2 and re.search(expected, lines[0]), (other, lines)
        assert "100 events of 1 process" in lines[1], (other, lines)
        assert len(os.listdir(f"{folder}/trace")) == 1
        assert printed == 100, (other, printed)
with tempfile.TemporaryDirectory() as folder:
    status, lines, printed = record(folder, "minor")
    assert status == 0, (status, lines)
    assert len(lines) == 1 and "200 events of 2 processes" in lines[0], lines
    assert printed == 200, printed
print("passed")
