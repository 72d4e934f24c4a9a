#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""full_disk.py SOURCE: what cannot be printed is told, with exit status 1, by every command that judges or reads: a script
that looks at the status only must not take an empty file for a pass. (What measures has such cases in its own table.)"""
import os
import pathlib
import subprocess
import sys
import tempfile

MAXLAT = os.environ["MAXLAT"]
SOURCE = pathlib.Path(sys.argv[1])
TRACE = SOURCE / "tests/tracer/data/format-1"


def into_full_disk(words):
    with open("/dev/full", "w") as full:
        return subprocess.run([MAXLAT, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        subprocess.run([MAXLAT, "import", SOURCE / "import/testdata/cyclictest-2.4.json", "-o", result], check=True, timeout=60)
        for words in (["check"], ["gate", result, "--max", "1h"], ["gate", result, "--max", "1ns"], ["report", "--text", result],
                      ["report", "-o", "-", result], ["trace", "stats", TRACE], ["trace", "stats", "--json", TRACE],
                      ["trace", "print", TRACE], ["trace", "check", TRACE]):
            ended = into_full_disk(words)
            if ended.returncode != 1 or "cannot write standard output: no space left on device" not in ended.stderr:
                failed += 1
                print(f"{words}: exit status {ended.returncode}: {ended.stderr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
