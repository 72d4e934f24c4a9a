#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_snippets.py PAGE RESULT: the programs on docs/result.md, which somebody copies, run on a stored result.

A defect: Python's failed at the first phase without CPUs, and jq's said 0 of what was not measured.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def largest_of(result):
    """{name: largest latency} of each phase that is ok and measured one."""
    largest = {}
    for phase in result["phases"]:
        measured = [cpu["max_ns"] for cpu in phase.get("per_cpu", []) if "max_ns" in cpu]
        if phase["status"] == "ok" and measured:
            largest[phase["name"]] = max(measured)
    return largest


def main():
    page, stored = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    wanted = largest_of(json.loads(stored.read_text()))
    assert len(wanted) > 3, wanted
    jq = re.search(r"^```\n(jq .*)\n```$", page, re.M).group(1)
    python = re.search(r"^```python\n(.*?)^```$", page, re.M | re.S).group(1)
    without_jq = False
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(stored, pathlib.Path(folder) / "result.json")
        for name, command, between in (("jq", ["sh", "-c", jq], "\t"), ("Python", [sys.executable, "-c", python], " ")):
            if name == "jq" and not shutil.which(name):
                without_jq = True
                continue
            ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            assert ended.returncode == 0, f"{name}: {ended.stderr}"
            told = {line.rpartition(between)[0]: float(line.rpartition(between)[2]) for line in ended.stdout.splitlines()}
            assert told == wanted, f"{name}: {told}, expected {wanted}"
            print(f"{name}: {len(told)} phases")
    if without_jq:
        print("cannot run here: jq is not installed")
        sys.exit(77)


main()
