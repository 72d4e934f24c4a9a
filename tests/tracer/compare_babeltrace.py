#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_babeltrace.py SAMPLE_PROGRAM: babeltrace2 and `maxlat trace print` read the same from a trace that has every kind
of field, short and long records, and times that overflow their low bits: event by event, stream by stream. babeltrace2
has nothing to complain of, and tells the losses that the trace has."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict

from babeltrace_text import alike

TIME = r"\[(\d\d):(\d\d):(\d\d)\.(\d{9})\]"
THEIRS = re.compile(TIME + r" \(\+[^)]*\) [^ ]*:\((\d+)\) (\S+): \{ (?:tid|cpu_id) = (\d+), slot = (\d+)[^}]*\}(?:, (\{.*\}))?$")
OURS = re.compile(TIME + r" \S+ (\d+)/(cpu)?(\d+) (\S+): (\{.*\})$")
UNLIKE = 1  # ns: babeltrace2 computes times in floating point


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, "TZ": "UTC"})


def nanoseconds(hours, minutes, seconds, fraction):
    return ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 10**9 + int(fraction)


def fields(text):
    """Without the lengths of sequences, which only babeltrace2 shows."""
    return alike(re.sub(r"\w+_length = \d+, (?=\w+ = \[)", "", text or "{ }"))


def read(lines, pattern, stream_and_event):
    streams, times = defaultdict(list), []
    for line in lines:
        found = pattern.match(line)
        assert found, f"not understood: {line}"
        time = nanoseconds(*found.groups()[:4])
        stream, event, values = stream_and_event(found)
        streams[stream].append((time, event, fields(values)))
        times.append(time)
    assert times == sorted(times), "events are not in the order of time"
    return streams


def compare(theirs, ours):
    assert theirs.keys() == ours.keys(), f"streams {sorted(theirs)} and {sorted(ours)}"
    for stream, events in theirs.items():
        assert len(events) == len(ours[stream]), f"{stream}: {len(events)} events, and {len(ours[stream])}"
        for their, our in zip(events, ours[stream]):
            values = their[2]
            if 'string = ""' in our[2]:  # babeltrace2 2.0.4 shows the string of an earlier event for one that is empty
                values = re.sub(r'string = "(?:\\.|[^"\\])*"', 'string = ""', values)
            same = abs(their[0] - our[0]) <= UNLIKE and (their[1], values) == our[1:]
            assert same, f"{stream}:\n  babeltrace2 {their}\n  maxlat      {our}"
    return sum(map(len, theirs.values()))


def main(sample):
    if shutil.which("babeltrace2") is None:
        print("babeltrace2 is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name in ("sound", "loss"):
            written = run(sample, f"{folder}/{name}", *(["loss"] if name == "loss" else []))
            assert written.returncode == 0, written.stderr
        theirs = run("babeltrace2", f"{folder}/sound")
        ours = run(os.environ["MAXLAT"], "trace", "print", f"{folder}/sound")
        assert theirs.returncode == 0 and theirs.stderr == "", f"babeltrace2 complains: {theirs.stderr}"
        assert ours.returncode == 0 and ours.stderr == "", f"maxlat complains: {ours.stderr}"
        per_cpu = re.compile(r"\{ cpu_id")
        count = compare(
            read(theirs.stdout.splitlines(), THEIRS,
                 lambda m: ((m[5], bool(per_cpu.search(m[0])), m[7]), m[6], m[9])),
            read(ours.stdout.splitlines(), OURS, lambda m: ((m[5], m[6] is not None, m[7]), m[8], m[9])))
        assert count == 296, f"{count} events"
        for shown in (': container = 18446744073709551615 )', '( "lowest" : container = -9223372036854775808 )',
                      '( "one", "also one" : container = 1 )', '( <unknown> : container = -3 )', r'( "a \"quoted\\ one" :',
                      "hex_u8 = 0xFF, hex_i8 = 0x7F", "hex_u8 = 0x0, hex_i8 = 0x80", "hex_i64 = 0x8000000000000000",
                      "hexes = [ [0] = 0xFFFF, [1] = 0xABC ]"):
            assert shown in ours.stdout, shown

        lossy = run("babeltrace2", f"{folder}/loss")
        told = re.findall(r"Tracer discarded (\d+) events", lossy.stderr)
        assert told == ["7"] * 8, f"8 streams lost 7 events each, and babeltrace2 says: {lossy.stderr}"
    print(f"{count} events, the same to both")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
