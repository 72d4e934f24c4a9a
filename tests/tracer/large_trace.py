#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""large_trace.py LARGE_PROGRAM: a trace of 10^7 events, to the event: babeltrace2 counts them without a warning,
`maxlat trace stats` counts the same, `print` has as many lines, `check` finds nothing; and the memory of print and stats is
that of a trace a tenth as long."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

EVENTS = 10**7
GROWTH_KIB = 2048  # of peak memory between traces of 10^6 and 10^7 events: windows of files, no more


def run(*command):
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, f"{command}: exit status {ended.returncode}\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}"
    assert ended.stderr == "", f"{command}: {ended.stderr[:2000]}"
    return ended.stdout


def lines_and_peak(*command):
    """Lines printed, and the peak of resident memory in KiB."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    lines = 0
    while block := child.stdout.read1(1 << 20):
        lines += block.count(b"\n")
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"{command}: exit status {child.returncode}"
    return lines, usage.ru_maxrss


def main(program):
    if shutil.which("babeltrace2") is None:
        print("babeltrace2 is not installed")
        return 77
    maxlat = os.environ["MAXLAT"]
    with tempfile.TemporaryDirectory() as folder:
        large, small = f"{folder}/large", f"{folder}/small"
        run(program, large, str(EVENTS))
        run(program, small, str(EVENTS // 10))

        counted = run("babeltrace2", large, "-c", "sink.utils.counter")
        assert re.search(rf"^\s*{EVENTS} Event messages$", counted, re.MULTILINE), counted
        counted = json.loads(run(maxlat, "trace", "stats", "--json", large))
        assert counted["events"] == EVENTS and counted["events_by_name"][0]["events"] == EVENTS, counted
        assert f"recorded {EVENTS} " in run(maxlat, "trace", "check", large)

        for command in ("print", "stats"):
            lines, peak = lines_and_peak(maxlat, "trace", command, large)
            _, small_peak = lines_and_peak(maxlat, "trace", command, small)
            assert command == "stats" or lines == EVENTS, f"{lines} lines"
            assert peak < small_peak + GROWTH_KIB, f"{command}: {small_peak} KiB, and {peak} KiB for ten times the events"
            print(f"{command}: peak {peak} KiB, {small_peak} KiB for a tenth of the events")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
