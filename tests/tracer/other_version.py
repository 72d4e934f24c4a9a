#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""other_version.py PROGRAM LIBRARY: a program of another version of the library beside one of ours in one recording: one line
says that it is not recorded, and why; the other one is, whole."""
import os
import re
import subprocess
import sys
import tempfile

MAXLAT, PROGRAM, LIBRARY = os.environ["MAXLAT"], sys.argv[1], sys.argv[2]

with tempfile.TemporaryDirectory() as folder:
    both = f'"{PROGRAM}" events=100 & LD_PRELOAD="{LIBRARY}" "{PROGRAM}" events=100 && wait'
    ended = subprocess.run([MAXLAT, "trace", "record", "-o", f"{folder}/trace", "-e", "test:count", "--", "sh", "-c", both],
                           capture_output=True, text=True, timeout=60)
    assert ended.returncode == 3, ended
    lines = ended.stderr.splitlines()
    assert len(lines) == 2 and re.search(r"not recorded: traced_program \(process \d+\): .* another version of maxlat$", lines[0]), lines
    assert "100 events of 1 process" in lines[1], lines
    assert len(os.listdir(f"{folder}/trace")) == 1
    printed = subprocess.run([MAXLAT, "trace", "print", f"{folder}/trace"], capture_output=True, text=True, timeout=60, check=True).stdout
    assert len(printed.splitlines()) == 100, printed[:300]
print("passed")
