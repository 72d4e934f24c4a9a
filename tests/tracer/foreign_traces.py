#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""foreign_traces.py SAMPLE_PROGRAM CASE: `maxlat trace print`, `stats` and `check` of traces that our own reader does not
read: as many events as babeltrace2 prints, with the same fields, and one line with a status where something is wrong."""
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

import babeltrace_text
import hand_made_ctf
import hand_made_tracers
from babeltrace_text import alike

MAXLAT = os.environ["MAXLAT"]
SAMPLE = sys.argv[1]
HERE = pathlib.Path(__file__).parent
LIMIT = 60


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=LIMIT,
                          env={**os.environ, "TZ": "UTC", **more})


def trace(*words, status=0):
    ended = run(MAXLAT, "trace", *words)
    assert ended.returncode == status, f"{words}: exit status {ended.returncode}\n{ended.stdout[:1000]}{ended.stderr[:1000]}"
    return ended


def needs_library(folder):
    if run(MAXLAT, "trace", "check", hand_made_ctf.sound(folder / "probe")).returncode == 77 or not shutil.which("babeltrace2"):
        print("without libbabeltrace2 or babeltrace2")
        sys.exit(77)


def their_lines(folder):
    """As ours: without the time since the line before, and with names as C would escape them."""
    lines = run("babeltrace2", folder).stdout.splitlines()
    return [alike(re.sub(r" \(\+[^)]*\)", "", line, count=1)) for line in lines]


def our_lines(folder, status=0):
    lines = [line for line in trace("print", folder, status=status).stdout.splitlines() if not line.startswith("---")]
    lines = [line.removesuffix("{ }") if line.endswith("nothing: { }") else line for line in lines]
    return [alike(line.replace("[no time] ", "").replace("] - ", "] ").replace('\\"quoted\\"', '"quoted"')) for line in lines]


def compare(folder, status=0):
    theirs, ours = their_lines(folder), our_lines(folder, status)
    ours = [line.removeprefix("- ") for line in ours]
    assert len(theirs) == len(ours) > 0, f"{folder}: babeltrace2 prints {len(theirs)} events, maxlat {len(ours)}"
    for their, our in zip(sorted(theirs), sorted(ours)):  # of equal times, in any order
        assert their == our, f"{folder}:\n  babeltrace2 {their}\n  maxlat      {our}"
    events = [json.loads(line) for line in trace("print", "--json", folder, status=status).stdout.splitlines()]
    assert sum("event" in event for event in events) == len(theirs)
    statistics = json.loads(trace("stats", "--json", folder, status=status).stdout)
    assert statistics["events"] == len(theirs) == sum(s["events"] for s in statistics["streams"])
    return events


def case_hand_made(folder):
    needs_library(folder)
    for name, make in hand_made_ctf.ALL.items():
        if name == "whole":
            continue
        made = make(folder / name)
        if not babeltrace_text.reads(made):
            told = trace("print", made, status=3).stderr
            assert re.search(rf"^maxlat trace: libbabeltrace2 was ended by signal .* while it read {made}$", told, re.M), told
            continue
        events = compare(made)
        checked = trace("check", made, status=3).stdout
        assert f"recorded {len(events)} " in checked and "leaves no books" in checked, checked
    values = [event["fields"] for event in compare(folder / "sound") if event["event"] == "variants"]
    assert values[0] == {"kind": {"value": 0, "label": "number"}, "value": 4000000000}, values[0]
    assert {"a": 7, "b": -5} in [value["value"] for value in values]
    sequences = [event["fields"] for event in compare(folder / "no_clock") if event["event"] == "sequences"]
    assert sequences[0]["words"] == [1, 65535] and sequences[1]["points"][1] == {"x": 2, "y": -1e100}, sequences


def case_lost(folder):
    """What was lost and which packets are missing, as babeltrace2 says; status 3, and 2 of check."""
    needs_library(folder)
    made = hand_made_ctf.whole(folder / "whole")
    lines = compare(made, 3)
    assert sum(line.get("lost", 0) for line in lines) == 10 and sum(line.get("missing_packets", 0) for line in lines) == 4
    text = trace("print", made, status=3).stdout
    assert re.search(r"^--- 5 events lost: - \S+/cpu0, between \[22:13:20.000101000\] and \[22:13:20.000600000\]$", text, re.M), text
    checked = trace("check", made, status=2).stdout
    assert "4 packets are missing" in checked and "lost, as the packets say, 10" in checked, checked


def case_filters(folder):
    needs_library(folder)
    made = hand_made_ctf.sound(folder / "sound")
    events = [json.loads(line) for line in trace("print", "--json", made).stdout.splitlines()]
    chosen = lambda *options: [json.loads(line) for line in trace("print", "--json", made, *options).stdout.splitlines()]
    second = events[0]["time_ns"] + 400_000
    cases = {("-e", "seq*,app:*"): lambda e: e["event"] in ("sequences", 'app:text "quoted"'),
             ("--cpu", "1"): lambda e: e["packet"]["cpu_id"] == 1,
             ("--thread", "101"): lambda e: e["context"]["vtid"] == 101,
             ("--begin", "+400us"): lambda e: e["time_ns"] >= second, ("--end", "+400us"): lambda e: e["time_ns"] < second}
    for options, wanted in cases.items():
        expected = [event for event in events if wanted(event)]
        assert 0 < len(expected) < len(events) and chosen(*options) == expected, options
        assert json.loads(trace("stats", "--json", made, *options).stdout)["events"] == len(expected), options
    ended = trace("print", made, "--begin", "+1d")
    assert ended.stdout == "" and "no event of this trace is what the options choose" in ended.stderr, ended
    for options, text in ((("-e", "none"), 'matches "none"'), (("--cpu", "7"), "of these CPUs or threads"), (("--begin", "x"), "no time")):
        assert text in trace("print", made, *options, status=1).stderr


def case_damaged(folder):
    """Cut and spoiled anywhere: a status, a line or two, no crash."""
    needs_library(folder)
    for name in ("sound", "no_context"):
        made = hand_made_ctf.ALL[name](folder / name)
        whole = babeltrace_text.reads(made)
        stream = next(path for path in made.iterdir() if path.name != "metadata")
        stream.write_bytes(stream.read_bytes()[:-3])
        for command, status in (("print", 3), ("stats", 3), ("check", 2 if whole else 3)):
            ended = trace(command, made, status=status)
            told = (ended.stdout + ended.stderr).splitlines()
            assert sum(str(folder) in line and "stream" not in line.split(" ")[0] for line in told) >= 1, told
            assert ended.stderr.count("\n") <= (1 if whole else 2), ended.stderr
    if whole:
        events = len(hand_made_ctf.ALL["no_context"](folder / "again") and our_lines(folder / "again"))
        assert len(our_lines(folder / "no_context", 3)) == events - 1, "the whole events of a file that was cut"
    draw = random.Random(5)
    original = hand_made_ctf.sound(folder / "original")
    for round_ in range(40):
        spoiled = folder / "spoiled"
        shutil.rmtree(spoiled, ignore_errors=True)
        shutil.copytree(original, spoiled)
        path = draw.choice(sorted(spoiled.iterdir()))
        data = bytearray(path.read_bytes())
        for _ in range(draw.randrange(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(data)
        for command in ("print", "check"):
            ended = run(MAXLAT, "trace", command, spoiled)
            assert ended.returncode in (0, 1, 2, 3), (round_, ended.returncode, ended.stderr)
            assert ended.stderr.count("\n") <= 2 and (ended.returncode in (0, 2) or ended.stdout or ended.stderr), (round_, ended)


def case_ours(folder):
    """Of another version of ours, and beside another tracer's: every event all the same."""
    needs_library(folder)
    subprocess.run([SAMPLE, folder / "ours"], check=True)
    fast = [json.loads(line) for line in trace("print", "--json", folder / "ours").stdout.splitlines()]
    shutil.copytree(folder / "ours", folder / "later")
    for metadata in (folder / "later").glob("*/metadata"):
        metadata.write_text(metadata.read_text().replace("packet_format = 2;", "packet_format = 99;"))
    later = [json.loads(line) for line in trace("print", "--json", folder / "later").stdout.splitlines()]
    names = "u64", "string", "n", "hex_i8", "hex_sequence", "enum_u64", "enum_i64", "state"
    one_order = lambda value: {**value, "label": sorted(value["label"] or [])} if isinstance(value, dict) else value
    key = lambda event: (event["event"], *(one_order(event["fields"].get(name)) for name in names))
    assert sorted(map(str, map(key, fast))) == sorted(map(str, map(key, later))) and len(later) == 296
    assert "recorded 296 " in trace("check", folder / "later", status=3).stdout
    hand_made_ctf.sound(folder / "ours" / "theirs")
    assert "clocks do not go together" in trace("print", folder / "ours", status=3).stderr
    shutil.rmtree(folder / "ours" / "theirs")
    hand_made_ctf.sound(folder / "ours" / "theirs", absolute=True)
    assert len(trace("print", folder / "ours").stdout.splitlines()) == 296 + 32
    (folder / "ours" / "theirs" / "metadata").write_text("/* CTF 1.8 */ spoiled {")
    ended = trace("print", folder / "ours", status=3)  # by our own reader
    assert len(ended.stdout.splitlines()) == 296 and "theirs/metadata" in ended.stderr, ended.stderr


def case_formats(folder):
    """Traces of packet formats 1 and 2, as they were written on 22 and 23 November 2026: readable for ever."""
    then = {"format-1": "f1e6c8d17923cac43b95705c16c4f07212f007d2445c4c96affba9acae26014d",
            "format-2": "2afbebb457fb79066af8653802afb446ab380395ccb0249de60fca7d166dfbba"}
    for name, digest in then.items():
        events = [json.loads(line) for line in trace("print", "--json", HERE / "data" / name).stdout.splitlines()]
        assert len(events) == 148
        told = json.dumps([[e["time_ns"], e["event"], e.get("tid"), e.get("cpu"), e["fields"]] for e in events], sort_keys=True)
        assert hashlib.sha256(told.encode()).hexdigest() == digest, f"{name} is read otherwise than then"
        assert "recorded 148 " in trace("check", HERE / "data" / name, status=3).stdout


def case_hand_made_tracers(folder):
    """In the form of LTTng's kernel tracer, of barectf 2, and of barectf 3 on a big-endian machine: a module of LTTng's is
    built for one kernel, Debian has barectf 3 alone, and these machines are little-endian. So they are made by hand."""
    needs_library(folder)
    for name, (make, count) in hand_made_tracers.ALL.items():
        made = make(folder / name)
        assert len(compare(made)) == count, f"{name}: not {count} events"
        assert f"recorded {count} " in trace("check", made, status=3).stdout, name


def case_barectf(folder):
    """What barectf 3.1.1 has written (data/README.md)."""
    needs_library(folder)
    kept = HERE / "data" / "barectf-3"
    events = [event for event in compare(kept, status=3) if "event" in event]
    assert len(events) == 66 and {event["event"] for event in events} == {"step", "message", "beat"}
    steps = [event["fields"] for event in events if event["event"] == "step"]
    assert steps[1] == {"axis": 1, "at": -1900, "state": {"value": 1, "label": "moving"}, "position": 0.125}, steps[1]
    assert "lost, as the packets say, 7\n" in trace("check", kept, status=3).stdout


def case_explained(folder):
    """Who had a CPU, by the events of LTTng's kernel tracer: to the nanosecond."""
    needs_library(folder)
    made = hand_made_tracers.switches(folder / "kernel")
    at = lambda ns: "{}.{:09}".format(*divmod(hand_made_tracers.KERNEL_OFFSET + ns, 10**9))
    def told(begin, end, *options, status=0):
        words = ["explain", made, "--cpu", 1, "--from", at(begin), "--to", at(end), "--json", *options]
        parts = json.loads(trace(*words, status=status).stdout)["accounting"]
        return {f"{part['class']} {part['name']}": part["ticks"] for part in parts}
    assert told(1050, 1400) == {"task cc1 (tid 6, real-time 69)": 200, "task sh (tid 5, nice 0)": 90, "irq 17 eth0": 60}
    assert told(1450, 1550, status=3) == {"task cc1 (tid 6, real-time 69)": 50, "before the history ": 50}, "behind the last event"
    assert told(900, 1050, status=3) == {"before the history ": 100, "task sh (tid 5, nice 0)": 50}
    assert told(1150, 1190, "--thread", 5) == {"around ": 30, "irq 17 eth0": 10}, "of the thread that measured"
    assert "CPU 0" in trace("explain", made, "--cpu", 0, "--from", "+0s", "--to", "+1us", status=1).stderr
    assert json.loads(trace("explain", made, "--cpu", 1, "--from", "+0.05us", "--to", "+0.4us", "--json").stdout)["ticks"] == 350


@contextlib.contextmanager
def lttng_daemon(folder):
    """A session daemon of our own; gives a function that is `lttng`."""
    if not shutil.which("lttng-sessiond") or os.path.exists("/run/lttng"):
        print("lttng-sessiond is not installed, or somebody's is there already")
        sys.exit(77)
    home = {**os.environ, "LTTNG_HOME": str(folder), "HOME": str(folder)}
    daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def lttng(words, may_fail=False):
        done = subprocess.run(["lttng", "--no-sessiond", *shlex.split(words)], env=home, capture_output=True, text=True, timeout=LIMIT)
        assert may_fail or done.returncode == 0, done
        return done.returncode == 0

    try:
        for _ in range(600):
            if lttng("list", may_fail=True):
                break
            assert daemon.poll() is None, "the session daemon ended"
        yield lttng
    finally:
        daemon.terminate()
        daemon.wait(LIMIT)
        if os.geteuid() == 0:
            shutil.rmtree("/run/lttng", ignore_errors=True)  # of this daemon: there was none


def start_lttng(lttng):
    for words in ("enable-channel -u c", "enable-event -u -c c lttng_ust_libc:*", "add-context -u -t vtid -t procname -c c", "start"):
        lttng(words)


def run_under_lttng(folder, *command):
    """RETURNS: its exit status. LTTng-UST traces its malloc and free."""
    return subprocess.run(command, stdout=subprocess.DEVNULL, timeout=LIMIT,
                          env={**os.environ, "LTTNG_HOME": str(folder), "HOME": str(folder), "LD_PRELOAD": "liblttng-ust-libc-wrapper.so.1",
                               "LTTNG_UST_REGISTER_TIMEOUT": "-1"}).returncode


def compare_lttng(trace_folder):
    if not run("babeltrace2", trace_folder).stdout:
        print("LTTng-UST recorded nothing here")
        sys.exit(77)
    events = compare(trace_folder)
    checked = trace("check", trace_folder, status=3).stdout
    assert "leaves no books" in checked and f"recorded {len(events)} " in checked, checked


def case_lttng(folder):
    """A session of LTTng-UST with a rotation, as its daemons write it."""
    needs_library(folder)
    with lttng_daemon(folder) as lttng:
        lttng(f"create m --output {folder / 'trace'}")
        start_lttng(lttng)
        rotated = 0
        for _ in range(2):
            assert run_under_lttng(folder, "ls", "/usr/bin") == 0
            rotated += lttng("rotate", may_fail=True)
        lttng("destroy")
    chunks = list((folder / "trace/archives").glob("*"))
    assert rotated >= 1 and len(chunks) >= rotated, f"{rotated} rotations, {chunks}"
    compare_lttng(folder / "trace")


def cpu_seconds(*command):
    """Of a reader of traces, which says 3 of one that has lost events."""
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 3), (command, status)
    return usage.ru_utime + usage.ru_stime


def case_lttng_rate(folder):
    """As many events a second of CPU time as half of babeltrace2's text, of a trace that LTTng wrote. In turns."""
    needs_library(folder)
    with lttng_daemon(folder) as lttng:
        lttng(f"create m --output {folder / 'trace'}")
        start_lttng(lttng)
        # Each of these takes memory of the C library and gives it back.
        assert run_under_lttng(folder, sys.executable, "-S", "-c", "for _ in range(300000): bytes(2000)") == 0
        lttng("destroy")
    events = run("babeltrace2", folder / "trace").stdout.count("\n")
    if events < 100000:
        print(f"LTTng-UST recorded {events} events here")
        sys.exit(77)
    ratios = [cpu_seconds("babeltrace2", folder / "trace") / cpu_seconds(MAXLAT, "trace", "print", folder / "trace")
              for _ in range(5)]
    print(f"{events} events: {statistics.median(ratios):.2f} times as many a second as babeltrace2")
    assert statistics.median(ratios) >= 0.5, ratios


def case_lttng_crash(folder):
    """What lttng-crash takes out of the buffers of a program that was killed: packets that nobody ended."""
    needs_library(folder)
    with lttng_daemon(folder) as lttng:
        lttng(f"create m --output {folder / 'trace'} --shm-path {folder / 'shm'}")
        start_lttng(lttng)
        ended = run_under_lttng(folder, sys.executable, "-S", "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
        assert ended == -signal.SIGKILL, ended
        for buffers in (folder / "shm").iterdir():
            done = run("lttng-crash", "-x", folder / "crashed", buffers)
            assert done.returncode == 0, done
        lttng("destroy")
    compare_lttng(folder / "crashed")


with tempfile.TemporaryDirectory(prefix="maxlat-foreign-") as name:
    globals()["case_" + sys.argv[2]](pathlib.Path(name))
print("passed")
