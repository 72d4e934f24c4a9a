#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""full_disk.py SOURCE: what cannot be printed is told, with exit status 1, by every command that judges or reads: a script
that looks at the status only must not take an empty file for a pass. Nor is a file left of which nobody was told. (What
measures has such cases in its own table.)"""
import os
import pathlib
import subprocess
import sys
import tempfile

MAXLAT = os.environ["MAXLAT"]
SOURCE = pathlib.Path(sys.argv[1])
TRACE = SOURCE / "tests/tracer/data/format-1"
GOOD, BAD = SOURCE / "docs/examples/gate/good", SOURCE / "docs/examples/gate/bad"


def into_full_disk(words):
    with open("/dev/full", "w") as full:
        return subprocess.run([MAXLAT, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        subprocess.run([MAXLAT, "import", SOURCE / "import/testdata/cyclictest-2.4.json", "-o", result], check=True, timeout=60)
        page = pathlib.Path(folder) / "compared.html"
        there = sorted(os.listdir(folder))
        for words in (["check"], ["gate", result, "--max", "1h"], ["gate", result, "--max", "1ns"], ["report", "--text", result],
                      ["report", "-o", "-", result], ["report", result], ["report", "--series", folder],
                      ["report", "--series", "--text", folder], ["compare", GOOD, BAD], ["compare", GOOD, BAD, "-o", page],
                      ["export", result, "--format", "csv"], ["import", SOURCE / "import/testdata/cyclictest-2.4.json"],
                      ["plan-length"], ["plan-length", GOOD], ["plan-length", GOOD, BAD], ["shield", "status"],
                      ["sensors", "--help"], ["trace", "stats", TRACE], ["trace", "stats", "--json", TRACE],
                      ["trace", "print", TRACE], ["trace", "check", TRACE]):
            ended = into_full_disk(words)
            if ended.returncode != 1 or "cannot write standard output: no space left on device" not in ended.stderr:
                failed += 1
                print(f"{words}: exit status {ended.returncode}: {ended.stderr}")
            if sorted(os.listdir(folder)) != there:
                failed += 1
                print(f"{words}: left {os.listdir(folder)}, of which nobody was told")
                there = sorted(os.listdir(folder))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
