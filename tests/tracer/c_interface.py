#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""c_interface.py C_PROGRAM CPP17_PROGRAM TWICE_PROGRAM REFUSED_PROGRAM CPP20_PROGRAM LIBRARY: the tracer's C interface (maxlat/trace.h), as
C11 and as C++17, and from Python: each kind of field comes out as it went in, in our reader and in babeltrace2; books
balance; C's events stand beside C++'s in one trace; an event that is declared twice and differently stays disabled and says
so, as does one that no reader could make sense of."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from babeltrace_text import alike

MAXLAT = os.environ["MAXLAT"]
EVENTS = 1000
ELSE = {"c:texts": {"whole": "whole text", "cut": "cut ", "none": ""},
        "c:many": {"three": [1.5, -2.0, 3.25], "some": [-1, 2, -3, 4], "none": []},
        "c:names": {"x": [-1, 2], "x_length": 7, "padding": 8}, "c:bare": {}}

NUMBERS = "integers have 1, 2, 4 or 8, float and double 4 or 8"
REFUSED = [("level", "its level is 8, not 0 to 7"),
           ("many", "it has 33 fields, at most 32"),
           ("wide", f'its field "a" is of 16 bytes: {NUMBERS}'),
           ("three", f'its field "a" is of 3 bytes: {NUMBERS}'),
           ("half", f'its field "a" is of 2 bytes, floating: {NUMBERS}'),
           ("hex", 'its field "a" is hex, and no integer'),
           ("empty", 'its field "a" is of 0 elements or bytes: 1 to 65535'),
           ("named", 'its field "b c" is no name: A to Z, a to z, 0 to 9 and _ make one'),
           ("digit", 'its field "1a" is no name: A to Z, a to z, 0 to 9 and _ make one'),
           ("nameless", 'its field "" is no name: A to Z, a to z, 0 to 9 and _ make one'),
           ("double", 'its field "a" is there twice')]


def run(*words, **more):
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, **more)
    assert ended.returncode == 0, f"{words}: exit status {ended.returncode}\n{ended.stdout}{ended.stderr}"
    return ended


def record(folder, *command):
    run(MAXLAT, "trace", "record", "-o", folder, "--", *command)
    run(MAXLAT, "trace", "check", folder)
    return [json.loads(line) for line in run(MAXLAT, "trace", "print", "--json", folder).stdout.splitlines()]


def main(c_program, cpp17_program, twice_program, refused_program, cpp20_program, library):
    for program in (c_program, cpp17_program):
        assert run(program).stdout == "103 recorded, 0 lost\n"
        with tempfile.TemporaryDirectory() as parent:
            folder = f"{parent}/trace"
            events = record(folder, program, EVENTS)
            scalars = [e["fields"] for e in events if e["event"] == "c:scalars"]
            constant = {"small": -5, "half": 0.5, "flags": 0xABC, "mask": -2}
            assert scalars == [{"n": n, "odd": n % 2, **constant} for n in range(EVENTS)], scalars[:3]
            printed = run(MAXLAT, "trace", "print", folder).stdout
            assert printed.count("odd = 1, flags = 0xABC, mask = 0xFE }") == EVENTS // 2, printed[:300]
            others = {e["event"]: e["fields"] for e in events if e["event"] != "c:scalars"}
            assert others == ELSE and len(events) == EVENTS + 4, others
            if shutil.which("babeltrace2"):
                lines = [alike(line) for line in run("babeltrace2", folder).stdout.splitlines()]
                assert len(lines) == EVENTS + 4
                assert sum("odd = 1, flags = 0xABC, mask = 0xFE }" in line for line in lines) == EVENTS // 2, lines[:3]
                assert any('whole = "whole text", cut = "cut ", none = ""' in line for line in lines), lines[-3:]
                assert any("x_length_ = 2, x = [ [0] = -1, [1] = 2 ], x_length = 7, padding = 8" in line for line in lines), lines[-3:]

    with tempfile.TemporaryDirectory() as parent:
        run(MAXLAT, "trace", "record", "--context", "cpu", "-o", f"{parent}/trace", "--", c_program, 10)
        printed = [json.loads(line) for line in run(MAXLAT, "trace", "print", "--json", f"{parent}/trace").stdout.splitlines()]
        assert len(printed) == 14 and all(event["cpu"] in os.sched_getaffinity(0) for event in printed), printed[:3]
        assert {e["event"]: e["fields"] for e in printed if e["event"] != "c:scalars"} == ELSE, printed

    # C's library and C++'s in two processes of one recording.
    with tempfile.TemporaryDirectory() as parent:
        events = record(f"{parent}/trace", "sh", "-c", f"'{c_program}' 10 & '{cpp20_program}' events=10; wait $!")
        assert {e["event"] for e in events} >= {"c:scalars", "c:many", "test:count"}, events[:3]

    example = pathlib.Path(__file__).parents[2] / "docs/examples/trace_hello_python/trace_hello.py"
    with tempfile.TemporaryDirectory() as parent:
        os.environ["MAXLAT_TRACE_LIBRARY"] = library
        events = record(f"{parent}/trace", sys.executable, example, EVENTS)
        assert [e["fields"] for e in events] == [{"n": n, "what": "from Python"} for n in range(EVENTS)], events[:3]

    twice = run(twice_program)
    assert twice.stdout == "2 recorded\n", twice.stdout
    assert sorted(twice.stderr.splitlines()) == [
        "maxlat: the event twice:event is declared differently in two source files; it stays disabled",
        "maxlat: the events clash_a:b and clash:a_b are one to the linker; both stay disabled: rename one"], twice.stderr

    refused = run(refused_program)
    assert refused.stdout == "1 enabled\n", refused.stdout
    assert refused.stderr.splitlines() == [f"maxlat: the event refused:{name} stays disabled: {why}" for name, why in REFUSED]


main(*sys.argv[1:])
