#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""racing_texts.py PROGRAM: texts that another thread changes while they are traced. What is in them is anybody's guess, but each
event is there, whole, with the fields that stand behind the text, for our reader and for babeltrace2."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MAXLAT = os.environ["MAXLAT"]


def run(*words):
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, f"{words}: exit status {ended.returncode}\n{ended.stdout[-300:]}{ended.stderr[-300:]}"
    return ended.stdout


with tempfile.TemporaryDirectory() as folder:
    said = run(MAXLAT, "trace", "record", "--size", "1M", "--count", "64", "-o", f"{folder}/trace", "--", sys.argv[1])
    events, changed_meanwhile = map(int, said.split())
    run(MAXLAT, "trace", "check", f"{folder}/trace")
    each = [(n, kind) for n in range(events) for kind in ("race:cpp", "race:c")]
    found = [json.loads(line) for line in run(MAXLAT, "trace", "print", "--json", f"{folder}/trace").splitlines()]
    assert [(e["fields"]["n"], e["event"]) for e in found] == each
    assert all(e["fields"]["again"] == e["fields"]["n"] for e in found)
    mixed = {e["fields"]["text"] for e in found}
    assert len(mixed) > 4 or changed_meanwhile < 1000, f"no text was caught while it changed: {mixed}"
    if shutil.which("babeltrace2"):
        lines = run("babeltrace2", f"{folder}/trace").splitlines()
        parts = [re.search(r"(race:\w+): .*\{ n = (\d+), text = \".*\", again = (\d+)", line) for line in lines]
        assert [(int(line[2]), line[1]) for line in parts] == each and all(line[2] == line[3] for line in parts)
print("passed,", len(mixed), "different texts")
