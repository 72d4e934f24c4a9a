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


def texts_of_a_recording(folder):
    """Records once, checks all that must hold whatever the threads did, and returns the texts that came out."""
    # A buffer that holds all that the program can trace: a consumer that gets no processor loses nothing.
    said = run(MAXLAT, "trace", "record", "--size", "1M", "--count", "128", "-o", folder, "--", sys.argv[1])
    events = int(said.split()[0])
    run(MAXLAT, "trace", "check", folder)
    each = [(n, kind) for n in range(events) for kind in ("race:cpp", "race:c")]
    found = [json.loads(line) for line in run(MAXLAT, "trace", "print", "--json", folder).splitlines()]
    assert [(e["fields"]["n"], e["event"]) for e in found] == each
    assert all(e["fields"]["again"] == e["fields"]["n"] for e in found)
    if shutil.which("babeltrace2"):
        lines = run("babeltrace2", folder).splitlines()
        parts = [re.search(r"(race:\w+): .*\{ n = (\d+), text = \".*\", again = (\d+)", line) for line in lines]
        assert [(int(line[2]), line[1]) for line in parts] == each and all(line[2] == line[3] for line in parts)
    return {e["fields"]["text"] for e in found}


# Four texts are what the other thread writes, each whole; any other was caught while it changed. Whether one is caught depends
# on where the two threads run: where they have one CPU by turns it may take several recordings.
with tempfile.TemporaryDirectory() as top:
    for attempt in range(1, 21):
        mixed = texts_of_a_recording(f"{top}/{attempt}")
        if len(mixed) > 4:
            break
    assert len(mixed) > 4, f"no text was caught while it changed: {mixed}"
print(f"passed, {len(mixed)} different texts in recording {attempt}")
