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
import time


def trace(*arguments, status=0):
    ended = subprocess.run([os.environ["MAXLAT"], "trace", *map(str, arguments)], capture_output=True, text=True, timeout=30,
                           env={**os.environ, "TZ": "UTC"})
    assert ended.returncode == status, f"{arguments}: exit status {ended.returncode}\n{ended.stderr}"
    return ended


def events(*arguments, status=0):
    return [json.loads(line) for line in trace("print", "--json", *arguments, status=status).stdout.splitlines()]


def losses(sample, folder):
    """Between which two events, how many, why; in text and JSON; and what only the books know."""
    subprocess.run([sample, folder, "loss"], check=True)
    lines = [json.loads(line) for line in trace("print", "--json", folder, status=3).stdout.splitlines()]
    lost = [line for line in lines if "lost" in line]
    assert len(lost) == 8 and len(lines) == 296 + 8 + 8, (len(lost), len(lines))
    for line in lost:
        mine = [e["time_ns"] for e in lines if "event" in e and (e["pid"], e.get("tid"), e.get("cpu")) ==
                (line["pid"], line.get("tid"), line.get("cpu"))]
        assert (line["lost"], line["lost_full"], line["lost_wrap"], line["lost_big"]) == (7, 5, 1, 1), line
        assert (line["after_ns"], line["before_ns"]) == (mine[-2], None), line  # too large: anywhere in the last packet
    text = trace("print", folder, status=3).stdout
    told = "--- 7 events lost (buffer full 5, ring overrun by one still being written 1, larger than a sub-buffer 1): sam\\\"ple 1000/4000 threads, after ["
    assert told in text, text
    assert "lost" not in trace("print", folder, "--end", "+1ms").stdout, "what was lost later"
    assert json.loads(trace("stats", "--json", folder, status=3).stdout)["lost"]["lost_full"] == 40
    (folder / "sample-1000" / ".books").write_text(
        "channel threads produced 100 recorded 76 lost_full 21 lost_wrap 2 lost_big 2 lost_no_ring 3\nchannel cpus produced 90 recorded 76 lost_full 10 lost_wrap 2 lost_big 2\n")
    last = trace("print", folder, status=3).stdout.splitlines()[-1]
    assert last == '--- 14 events lost (buffer full 11, thread without a ring 3): sam\\"ple 1000 threads, after the last packets, or in none', last


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
        of_date = lambda ns, minutes=0: time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9 + 60 * minutes)) + f".{ns % 10**9:09}"
        cases = {
            ("-e", "sample:*"): lambda e: e["event"].startswith("sample:"),
            ("-e", "one,sample:f*"): lambda e: e["event"] in ("other:one", "sample:floats"),
            ("-e", "one", "-e", "sample:f*"): lambda e: e["event"] in ("other:one", "sample:floats"),
            ("--thread", "3999-4000"): lambda e: e.get("tid") == 4000,
            ("--cpu", "4001"): lambda e: e.get("cpu") == 4001,
            ("--cpu", "4001", "--thread", "7,4000"): lambda e: e.get("cpu") == 4001 or e.get("tid") == 4000,
            ("--begin", f"+{after_ms}ms"): lambda e: e["time_ns"] >= bound,
            ("--end", f"+{after_ms}ms"): lambda e: e["time_ns"] < bound,
            ("--begin", f"{middle // 10**9}.{middle % 10**9:09}"): lambda e: e["time_ns"] >= middle,
            ("--begin", of_day(middle), "--end", of_day(middle + 1)): lambda e: e["time_ns"] == middle,
            ("--begin", of_date(middle)): lambda e: e["time_ns"] >= middle,
            ("--end", of_date(middle, 90) + "+01:30"): lambda e: e["time_ns"] < middle,
        }
        for options, wanted in cases.items():
            expected = [e for e in everything if wanted(e)]
            assert 0 < len(expected) < 296, f"{options}: no test, {len(expected)} events"
            assert events(folder, *options) == expected, options
            assert json.loads(trace("stats", "--json", folder, *options).stdout)["events"] == len(expected), options
        assert len(events(f"{folder}/sample-1000")) == 148, "the folder of one process"

        for far in ("+90000d", "99999999999", "9223372036854775807.9"):
            ended = trace("print", folder, "--begin", far)
            assert ended.stdout == "" and "no event of this trace is what the options choose" in ended.stderr, ended.stderr
            assert len(events(folder, "--end", far)) == 296, far

        wrong = {("-e", "none:*"): 'no event of this trace matches "none:*"', ("--begin", "noon"): '--begin: "noon" is no time',
                 ("--end", "1.5x"): '--end: "1.5x" is no time',
                 ("--begin", "2026-02-30"): '"2026-02-30" is no time\nhint: for example +1.5s', ("--end", "2026-11-24T25:00"): "is no time", ("--begin", "+0s"): None, ("--begin", "+5"): '--begin: "5" has no unit', ("--begin", "+x"): "",
                 ("--thread", "1-"): '--thread: "1-" is no list of thread ids',
                 ("--begin=-99999999999",): "is no time", ("-e", ","): "no pattern is given",
                 ("--cpu", "0"): "no buffer of this trace belongs to CPU 0\nhint: there are those of CPU 4000, CPU 4001, thread",
                 ("--thread", "3"): "no buffer of this trace belongs to thread 3\n"}
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
        ended = trace("stats", folder, status=3)
        assert f"{cut}: byte " in ended.stderr and "0 lost; more may be missing: a part of the trace is damaged" in ended.stdout
        statistics = json.loads(trace("stats", "--json", folder, status=3).stdout)
        assert statistics["damaged"] is True and statistics["missing"] is None, statistics
        for process in ("1000", "1001"):
            (pathlib.Path(folder) / f"sample-{process}" / ".books").write_text(
                "channel threads produced 74 recorded 74\nchannel cpus produced 74 recorded 74\n")
        assert "0 lost; 14 more are missing: a part of the trace is damaged" in trace("stats", folder, status=3).stdout
        losses(sample, pathlib.Path(folder) / "loss")
        with open("/dev/full", "w") as full:
            ended = subprocess.run([os.environ["MAXLAT"], "trace", "print", folder], stdout=full, stderr=subprocess.PIPE)
        assert ended.returncode == 1 and b"cannot write standard output" in ended.stderr, ended
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
