#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""print_filters.py SAMPLE_PROGRAM: the options of `maxlat trace print` and `stats` against the whole trace, filtered here:
what is printed is what the option says, no more and no less. And what they say of a trace that was cut."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def trace(*arguments, status=0):
    ended = subprocess.run([os.environ["MAXLAT"], "trace", *map(str, arguments)], capture_output=True, text=True, timeout=30,
                           env={**os.environ, "TZ": "UTC"})
    assert ended.returncode == status, f"{arguments}: exit status {ended.returncode}\n{ended.stderr}"
    return ended


def events(*arguments, status=0):
    return [json.loads(line) for line in trace("print", "--json", *arguments, status=status).stdout.splitlines()]


def main(sample):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sample, folder], check=True)
        everything = events(folder)
        assert len(everything) == 296
        assert [e["time_ns"] for e in everything] == sorted(e["time_ns"] for e in everything)
        first, middle = everything[0]["time_ns"], everything[len(everything) // 2]["time_ns"]
        after_ms = (middle - first) // 10**6
        bound = first + after_ms * 10**6
        of_day = lambda ns: f"{ns // 10**9 // 3600 % 24:02}:{ns // 10**9 // 60 % 60:02}:{ns // 10**9 % 60:02}.{ns % 10**9:09}"
        cases = {
            ("-e", "sample:*"): lambda e: e["event"].startswith("sample:"),
            ("-e", "one", "-e", "sample:f*"): lambda e: e["event"] in ("other:one", "sample:floats"),
            ("--thread", "3999-4000"): lambda e: e.get("tid") == 4000,
            ("--cpu", "4001"): lambda e: e.get("cpu") == 4001,
            ("--cpu", "4001", "--thread", "7,4000"): lambda e: e.get("cpu") == 4001 or e.get("tid") == 4000,
            ("--begin", f"+{after_ms}ms"): lambda e: e["time_ns"] >= bound,
            ("--end", f"+{after_ms}ms"): lambda e: e["time_ns"] < bound,
            ("--begin", f"{middle // 10**9}.{middle % 10**9:09}"): lambda e: e["time_ns"] >= middle,
            ("--begin", of_day(middle), "--end", of_day(middle + 1)): lambda e: e["time_ns"] == middle,
        }
        for options, wanted in cases.items():
            expected = [e for e in everything if wanted(e)]
            assert 0 < len(expected) < 296, f"{options}: no test, {len(expected)} events"
            assert events(folder, *options) == expected, options
            assert json.loads(trace("stats", "--json", folder, *options).stdout)["events"] == len(expected), options
        assert len(events(f"{folder}/sample-1000")) == 148, "the folder of one process"

        for far in ("+90000d", "99999999999", "9223372036854775807.9"):
            assert events(folder, "--begin", far) == [] and len(events(folder, "--end", far)) == 296, far

        wrong = {("-e", "none:*"): 'no event of this trace matches "none:*"', ("--begin", "noon"): '"noon" is no time',
                 ("--end", "1.5x"): '"1.5x" is no time', ("--begin", "+5"): None, ("--begin", "+x"): "",
                 ("--thread", "1-"): "no list of thread ids",
                 ("--begin=-99999999999",): "is no time"}
        for options, text in wrong.items():
            ended = trace("print", folder, *options, status=0 if text is None else 1)
            assert text is None or text in ended.stderr, ended.stderr

        statistics = json.loads(trace("stats", "--json", folder).stdout)
        assert statistics["events"] == 296 == sum(s["events"] for s in statistics["streams"])
        assert {e["event"]: e["events"] for e in statistics["events_by_name"]} == {
            name: sum(e["event"] == name for e in everything) for name in {e["event"] for e in everything}}
        assert statistics["delivery_max_ns"] is None, "no recorder, no books, no delivery"
        gaps = [b["time_ns"] - a["time_ns"] for a, b in zip(everything, everything[1:])]
        assert statistics["largest_gap_ns"] == max(gaps)

        cut = pathlib.Path(folder) / "sample-1000" / "threads-0-0"
        cut.write_bytes(cut.read_bytes()[:-1])
        ended = trace("print", folder, status=3)
        assert len(ended.stdout.splitlines()) == 296 - 14 and f"{cut}: byte " in ended.stderr, ended.stderr
        assert f"{cut}: byte " in trace("stats", folder, status=3).stderr
        with open("/dev/full", "w") as full:
            ended = subprocess.run([os.environ["MAXLAT"], "trace", "print", folder], stdout=full, stderr=subprocess.PIPE)
        assert ended.returncode == 1 and b"cannot write standard output" in ended.stderr, ended
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
