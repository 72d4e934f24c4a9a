#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sensors_session_cases.py PROGRAM: `maxlat sensors` and the tracing sessions of a program that has both
(traced_sensors_program.cpp): `list` shows them, `record --session` makes one trace of both. The binary is $MAXLAT."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from sensor_process import LIMIT, GoesWithTheBlock, SensorProcess, run, run_cases, sensors, wait_until

PROGRAM = os.path.abspath(sys.argv[1])
NAME = os.path.basename(PROGRAM)
MAXLAT = os.environ["MAXLAT"]
LISTENS = {**os.environ, "MAXLAT_TRACE_CONTROL": "listen"}


def Program(*command, environment=None):
    return SensorProcess(*command, PROGRAM, environment=environment or LISTENS)


def sessions_of(program):
    listed = json.loads(sensors("list", "--json", str(program.pid)))
    assert all(one["pid"] == program.pid and one["program"] == NAME for one in listed["sessions"]), listed
    return {one["session"]: one["state"] for one in listed["sessions"]}


def numbers_of(folder, status=0):
    """Of all events, in the order in which they are printed."""
    lines = run("trace", "print", "--json", folder, status=status).splitlines()
    return [json.loads(line)["fields"]["number"] for line in lines if '"fields"' in line]


class Recording(GoesWithTheBlock):
    """`maxlat sensors record` of a program that runs, and its session. Begins when the session does."""

    def __init__(self, folder, program, session):
        self.process = subprocess.Popen([MAXLAT, "sensors", "record", "-o", folder, "--session", session, str(program.pid)],
                                        stderr=subprocess.PIPE, text=True)
        wait_until(lambda: sessions_of(program).get(session) == "running")

    def pause(self):
        """All of its threads."""
        self.process.send_signal(signal.SIGSTOP)
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task")
        wait_until(lambda: all((task / "stat").read_text().rpartition(") ")[2].startswith("T") for task in tasks.iterdir()))

    def end(self, status):
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGINT)
        _, err = self.process.communicate(timeout=LIMIT)
        assert self.process.returncode == status, f"{self.process.returncode}, not {status}\n{err}"
        return err


def events_of_result(folder):
    (values,) = [phase for phase in json.loads((folder / "result.json").read_text())["phases"] if phase["name"] == "values"]
    return values["events"]


def test_list_has_sessions_and_ids(_):
    with Program() as one, Program(environment=os.environ) as deaf:
        assert sessions_of(one) == {}
        assert "tracing session" not in sensors("list", str(one.pid))
        one.tell("session")
        assert sessions_of(one) == {"own": "created"}
        assert sessions_of(deaf) == {}, "it does not listen"
        assert re.search(rf"^tracing session +state\n{NAME}#{one.pid}/own +created$", sensors("list", str(one.pid)), re.M)
        assert f"{NAME}#{one.pid}/own" in sensors("list"), "of all programs"
        assert "/own" not in sensors("list", str(deaf.pid))
        listed = json.loads(sensors("list", "--json", str(one.pid)))["sensors"]
        assert [(s["name"], s["id"], s["kind"], s["shared"]) for s in listed] == [("list", 0, "events", False), ("posts", 1, "counter", False)]
        text = sensors("list", "-v", str(one.pid))
        assert re.search(r"^sensor +id +kind ", text, re.M) and re.search(r"/both/posts +1 +counter", text, re.M), text
        (posts,) = json.loads(sensors("get", "--json", f"{NAME}#{one.pid}/both/#1"))
        assert (posts["name"], posts["id"]) == ("posts", 1), posts
        assert "no sensor is called" in sensors("get", f"{one.pid}/both/#2", status=1)


def test_a_program_that_is_stopped_hides_no_sensor(_):
    with Program() as program:
        program.process.send_signal(signal.SIGSTOP)
        ended = subprocess.run([MAXLAT, "sensors", "list", str(program.pid)], capture_output=True, text=True, timeout=LIMIT)
        assert ended.returncode == 0 and "/both/list" in ended.stdout, ended
        assert f"{program.pid}: the program does not answer" in ended.stderr, ended


def test_one_trace_of_both(tmp):
    with Program() as program:
        program.tell("both")  # the list has those still; what was traced went nowhere
        with Recording(tmp / "r", program, "record") as recording:
            program.tell("both", "both")
            told = recording.end(0)
        assert "12 events of 1 list, 2 sensors, in " in told and "8 events of 1 process, " in told, told
        assert sessions_of(program) == {}, "what was made for the recording goes with it"
        assert numbers_of(tmp / "r") == [0, 2, 4, 6, *range(8, 24)]
        assert "20 recorded" in run("trace", "check", tmp / "r")
        books = events_of_result(tmp / "r")
        assert (books["produced"], books["recorded"], books["lost_full"]) == (20, 20, 0), books
        if shutil.which("babeltrace2"):
            lines = subprocess.run(["babeltrace2", tmp / "r"], capture_output=True, text=True, check=True).stdout.splitlines()
            assert len(lines) == 20, lines


def test_what_both_lose_is_told(tmp):
    with Program() as program:
        program.tell("session")
        with Recording(tmp / "r", program, "own") as recording:
            program.tell("both")
            wait_until(lambda: list((tmp / "r").glob(f"{NAME}-*/both.list-*")))  # it has read those, and written them
            recording.pause()
            program.tell("flood")
            told = recording.end(3)
        lost = int(re.search(r": (\d+) events lost because the buffer was full$", told, re.M)[1])
        assert "events overwritten before they were read" in told, told
        books = events_of_result(tmp / "r")
        assert books["produced"] == 2008 and books["recorded"] + books["lost_full"] == 2008 and books["lost_full"] > lost, books
        numbers = numbers_of(tmp / "r", status=3)
        assert len(numbers) == books["recorded"] and numbers == sorted(numbers) and numbers[:8] == list(range(8)), numbers
        check = run("trace", "check", tmp / "r")
        assert f"{books['recorded']} recorded" in check and f"{books['lost_full']} lost_full" in check, check
        assert sessions_of(program) == {"own": "stopped"}, "the program's own stays"


def test_of_a_command(tmp):
    with Program(MAXLAT, "sensors", "record", "-o", str(tmp / "r"), "--session", "record", "--", environment=os.environ) as recording:
        wait_until(lambda: len(list((tmp / "r").glob(f"{NAME}-*"))) == 2)  # of its list, and of its session
        recording.tell("both")
        recording.process.stdin.close()
        recording.process.stdin = None
        _, err = recording.process.communicate(timeout=LIMIT)
        assert recording.process.returncode == 0, err
        assert "4 events of 1 list, 2 sensors, in " in err and "4 events of 1 process, " in err, err
    assert numbers_of(tmp / "r") == list(range(8))


def test_what_cannot_be_recorded_is_told(tmp):
    with Program(environment=os.environ) as deaf, Program() as program:
        deaf.tell("both")
        told = run("sensors", "record", "-D", "1ms", "-o", tmp / "deaf", "--session", "record", deaf.pid, status=3)
        assert f"of process {deaf.pid} its sensors alone were recorded: process {deaf.pid} does not listen" in told, told
        assert 'no program has a session "record"' in told and "4 events of 1 list" in told, told
        told = run("sensors", "record", "-D", "1ms", "-o", tmp / "bad", "--session", "a name", program.pid, status=3)
        assert f"not recorded: {NAME} (process {program.pid}): " in told, told
        with Recording(tmp / "first", program, "record") as first:
            told = run("sensors", "record", "-D", "1ms", "-o", tmp / "second", "--session", "record", program.pid, status=3)
            assert f"not recorded: {NAME} (process {program.pid}): " in told and "0 events of 1 list" in told, told
            first.end(0)
        told = run("sensors", "record", "-o", tmp / "mix", "--session", "own", "--dump-on", "both:*", program.pid, status=1)
        assert "--session goes from the begin of the recording to its end\nhint: " in told, told
        assert "its name is empty" in run("sensors", "record", "-o", tmp / "mix", "--session", "", program.pid, status=1)


run_cases(globals(), PROGRAM)
