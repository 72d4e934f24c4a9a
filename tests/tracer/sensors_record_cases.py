#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sensors_record_cases.py PROGRAM: `maxlat sensors record` and `stats` of a program with sensors (sensor_program.cpp). The
binary is $MAXLAT. Nothing here waits for a time: each wait is for a condition, and has a limit only so that a failure ends."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading

from sensor_process import LIMIT, GoesWithTheBlock, SensorProcess, run, run_cases, wait_until

PROGRAM = os.path.abspath(sys.argv[1])
NAME = os.path.basename(PROGRAM)[:15]
MAXLAT = os.environ["MAXLAT"]


def Program(*command):
    return SensorProcess(*command, PROGRAM)


def has_groups(pid, *groups):
    maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
    return all(f"maxlat-sensors:{group} " in maps for group in groups)


def has_all_groups(pid):
    """They come one after another while a program is loaded."""
    return has_groups(pid, "robot", "server", "other")


def rests(pid):
    """From one look to the next."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("S")


class Running(GoesWithTheBlock):
    """A subcommand of `maxlat sensors` that goes on until it is interrupted."""

    def __init__(self, *words):
        self.process = subprocess.Popen([MAXLAT, "sensors", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)

    def rests(self):
        return rests(self.process.pid)

    def can_be_interrupted(self):
        caught = re.search(r"^SigCgt:\s*(\w+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text(), re.M)[1]
        return int(caught, 16) >> (signal.SIGINT - 1) & 1

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def ended(self, status):
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=LIMIT)
        assert self.process.returncode == status, f"{self.process.returncode}, not {status}\n{out}{err}"
        return out, err

    def end(self, status):
        return "".join(self.ended(status))

    def json(self):
        """What it printed. Its stderr may tell of tests beside this one, whose memory is refused."""
        return json.loads(self.ended(0)[0])


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


def phase_of(folder, name):
    (phase,) = [phase for phase in result_of(folder)["phases"] if phase["name"] == name]
    return phase


def events_of(folder, status=0):
    return [json.loads(line) for line in run("trace", "print", "--json", folder, status=status).splitlines() if "fields" in line]


def test_events_are_a_trace(tmp):
    with Program() as one, Program() as two:
        one.tell("move")
        two.tell("move")
        told = run("sensors", "record", "-D", "1ms", "-o", tmp / "r", f"{one.pid}/robot/moves", f"{two.pid}/robot/moves")
        assert "26 events of 2 lists, 2 sensors, in " in told, told
        assert told.count("1 sensor had the name of another: in result.json its name has the process, PROGRAM#PID\n") == 1, told
        facts = phase_of(tmp / "r", "values")["facts"]
        numbered = {f"{NAME}#{program.pid}/robot/moves" for program in (one, two)} & facts.keys()
        assert f"{NAME}/robot/moves" in facts and len(numbered) == 1, facts
        events = events_of(tmp / "r")
        assert [event["fields"] for event in events[:13]] == [event["fields"] for event in events[13:]], events
        assert events[0]["event"] == "robot:mode" and events[0]["fields"]["mode"] == {"value": 1, "label": "automatic"}
        assert [event["fields"]["axis"] for event in events[1:13]] == list(range(1, 13))
        assert all("cpu" in event for event in events), events[0]
        assert sorted(path.name for path in (tmp / "r").iterdir()) == sorted([f"{NAME}-{one.pid}", f"{NAME}-{two.pid}", "result.json"])
        assert "26 recorded" in run("trace", "check", tmp / "r")
        if shutil.which("babeltrace2"):
            lines = subprocess.run(["babeltrace2", tmp / "r"], capture_output=True, text=True, check=True).stdout.splitlines()
            assert len(lines) == 26 and 'why = "a \\"start\\"' in lines[0], lines[:2]


def test_losses_are_told_where_they_were(tmp):
    with Program() as program, Running("record", "-o", tmp / "r", f"{program.pid}/robot") as recording:
        program.tell("move")
        wait_until(lambda: list((tmp / "r").glob(f"{NAME}-*/robot.moves-*")))  # it has read those, and written them
        recording.pause()
        program.tell("move", "move", "move")
        told = recording.end(3)
        assert "23 events overwritten before they were read" in told and "29 events of 2 lists" in told, told
        lines = run("trace", "print", tmp / "r", status=3).splitlines()
        (loss,) = [line for line in lines if line.startswith("---")]
        last_before = [line for line in lines if "axis = 12," in line][0]
        # Behind that event; up to which one, its stream tells if it goes on: the program may be on another CPU by then.
        assert "23 events lost" in loss and last_before.partition(" ")[0] in loss, (loss, lines)
        assert "23 lost_full" in run("trace", "check", tmp / "r")
        books = phase_of(tmp / "r", "values")["events"]
        assert (books["produced"], books["recorded"], books["lost_full"]) == (52, 29, 23), books


def test_losses_before_the_first_event_stand_before_it(tmp):
    with Program() as program, Running("record", "-o", tmp / "r", f"{program.pid}/robot/moves") as recording:
        wait_until(lambda: list((tmp / "r").glob(f"{NAME}-*")))  # it reads the list, in which nothing is yet
        recording.pause()
        program.tell("move", "move", "move")
        assert "23 events overwritten before they were read" in recording.end(3)
        lines = run("trace", "print", tmp / "r", status=3).splitlines()
        assert re.fullmatch(r"--- 23 events lost \(buffer full 23\): .* robot\.moves, before its first event", lines[0]), lines
        assert len([line for line in lines if line.startswith("---")]) == 1 and len(lines) == 17, lines
        first = json.loads(run("trace", "print", "--json", tmp / "r", status=3).splitlines()[0])
        assert (first["lost_full"], first["before_ns"]) == (23, None), first
        assert "lost" not in run("trace", "print", "--begin", "+0s", tmp / "r"), "it is from before that"
        assert "23 lost_full" in run("trace", "check", tmp / "r")


def test_a_group_that_comes_again_is_recorded_on(tmp):
    """A defect: its lists have the names of those before, whose files were there, and nothing more was written at all."""
    with Program() as program, Running("record", "-o", tmp / "r", f"{program.pid}/robot/moves") as recording:
        program.tell("move")
        wait_until(lambda: list((tmp / "r").glob(f"{NAME}-*/robot.moves-*")))
        program.tell("again", "move")
        wait_until(lambda: list((tmp / "r").glob(f"{NAME}-*/robot.moves#2-*")))
        told = recording.end(0)
        assert told.count(f"another list of the name of {NAME}#{program.pid}/robot/moves: in the trace it is robot.moves#2\n") == 1, told
        assert "could be written" not in told, told
    events = events_of(tmp / "r")
    assert len([event for event in events if event["fields"].get("axis") == 12]) >= 2, events
    run("trace", "check", tmp / "r")


def test_an_event_that_no_list_has_is_told_at_once(tmp):
    """It may be of a program that begins later, so it is waited for. A name alone is of any provider."""
    with Program() as program:
        for event, is_there in (("step", True), ("robot:s*", True), ("stop", False), ("robots:step", False)):
            told = run("sensors", "record", "-D", "1ms", "-o", tmp / event, "--start-on", event, f"{program.pid}", status=3)
            assert (f'no list has an event "{event}" now; it may be of a program that comes\n' in told) != is_there, told


def test_what_a_list_refuses_is_told(tmp):
    with Program() as program, Running("record", "-o", tmp / "r", f"{program.pid}/robot/log") as recording:
        wait_until(lambda: has_groups(recording.process.pid, "robot") and recording.rests())
        program.tell("say")
        told = recording.end(3)
        assert "1 event refused: larger than their lists take" in told, told


def test_values_are_phases(tmp):
    name = f"{NAME}/server/latency"
    with Program() as program:
        program.tell("post")
        for folder in ("a", "b"):
            # Of what was posted before nothing is in it.
            with Running("record", "-o", tmp / folder, f"{program.pid}") as recording:
                wait_until(lambda r=recording: has_all_groups(r.process.pid) and r.rests())
                program.tell("post")
                recording.end(0)
        latency = phase_of(tmp / "a", name)
        assert (latency["kind"], latency["status"]) == ("sensor", "ok"), latency
        (cpu,) = latency["per_cpu"]
        assert (cpu["samples"], cpu["histogram"]["overflow_count"], cpu["max_ns"]) == (1001, 1, 1 << 40), cpu
        assert abs(cpu["mean_ns"] - (1000 * 1000 * 1001 // 2 + (1 << 40)) / 1001) < 1, cpu
        assert latency["facts"]["sensor"] == f"{NAME}#{program.pid}/server/latency"
        facts = phase_of(tmp / "a", "values")["facts"]
        assert facts[f"{NAME}/server/requests"] == "6, 3 of them meanwhile", facts
        assert facts[f"{NAME}/server/queue"] == "2", facts
        assert name not in facts and f"{NAME}/server/temperature" in facts, facts
    assert name in run("report", "--text", tmp / "a")
    run("gate", tmp / "a/result.json", "--max", "2000s")
    run("gate", tmp / "a/result.json", "--max", "1s", status=2)
    assert name in run("compare", tmp / "a", tmp / "b")


def test_of_a_command_from_its_begin_to_its_end(tmp):
    with Program(MAXLAT, "sensors", "record", "-o", str(tmp / "r"), "--") as recording:
        wait_until(lambda: has_all_groups(recording.pid) and list((tmp / "r").glob(f"{NAME}-*")))
        recording.tell("post", "move")
        recording.process.stdin.close()
        recording.process.stdin = None
        _, err = recording.process.communicate(timeout=LIMIT)
        assert recording.process.returncode == 0, err
        assert len(events_of(tmp / "r")) == 13
        (cpu,) = phase_of(tmp / "r", f"{NAME}/server/latency")["per_cpu"]
        assert (cpu["samples"], cpu["min_ns"], cpu["max_ns"]) == (1001, 1000, 1 << 40), cpu


def test_of_a_command_that_is_killed(tmp):
    with Program(MAXLAT, "sensors", "record", "-q", "-o", str(tmp / "r"), "--") as recording:
        wait_until(lambda: has_all_groups(recording.pid) and list((tmp / "r").glob(f"{NAME}-*")))
        recording.tell("move")
        (folder,) = (tmp / "r").glob(f"{NAME}-*")
        os.kill(int(folder.name.rpartition("-")[2]), signal.SIGKILL)
        _, err = recording.process.communicate(timeout=LIMIT)
        assert recording.process.returncode == 128 + 9 and "was killed by signal 9" in err, err
        assert len(events_of(tmp / "r")) == 13


def test_from_an_event_to_an_event(tmp):
    with Program() as program:
        program.tell("move")  # before: no reason to start, nor to stop
        with Running("record", "-o", tmp / "r", "--start-on", "robot:m*", "--stop-on", "robot:step", f"{program.pid}/robot") as recording:
            wait_until(lambda: has_all_groups(recording.process.pid) and recording.rests())
            program.tell("move")
            _, told = recording.process.communicate(timeout=LIMIT)
        assert recording.process.returncode == 0 and "2 events of 2 lists" in told, told
        assert [event["event"] for event in events_of(tmp / "r")] == ["robot:mode", "robot:step"]
        told = run("sensors", "record", "-D", "1ms", "-o", tmp / "none", "--start-on", "no:such", f"{program.pid}/robot", status=3)
        assert 'no event was "no:such"' in told, told


def test_what_led_to_an_event(tmp):
    with Program() as program:
        program.tell("say")  # before: no reason, but what led to it
        with Running("record", "-o", tmp / "r", "--dump-on", "robot:m*", f"{program.pid}") as recording:
            wait_until(lambda: has_all_groups(recording.process.pid) and recording.rests())
            program.tell("post", "say")
            assert recording.process.poll() is None, "nothing has come"
            program.tell("move")
            _, told = recording.process.communicate(timeout=LIMIT)
        assert recording.process.returncode == 0, told
        events = [event["event"] for event in events_of(tmp / "r")]
        assert "robot:said" in events and "robot:mode" in events and events.index("robot:said") < events.index("robot:mode"), events
        (cpu,) = phase_of(tmp / "r", f"{NAME}/server/latency")["per_cpu"]
        assert cpu["samples"] == 1001, cpu
        told = run("sensors", "record", "-D", "1ms", "-o", tmp / "none", "--dump-on", "no:such", f"{program.pid}/robot", status=3)
        assert 'no event was "no:such": none was recorded' in told and events_of(tmp / "none") == [], told
        told = run("sensors", "record", "-o", tmp / "no", "--dump-on", "a:b", "--stop-on", "c:d", status=1)
        assert "--dump-on records one moment\nhint: " in told, told


def test_of_a_command_the_moment_before_an_event(tmp):
    with Program(MAXLAT, "sensors", "record", "-q", "-o", str(tmp / "r"), "--dump-on", "robot:mode", "--") as recording:
        wait_until(lambda: has_all_groups(recording.pid) and rests(recording.pid))
        recording.tell("move")
        _, err = recording.process.communicate(timeout=LIMIT)
        assert recording.process.returncode == 0, err
    assert "robot:mode" in [event["event"] for event in events_of(tmp / "r")], "though it ended then"


def test_values_from_an_event_on(tmp):
    with Program() as program, Running("record", "-o", tmp / "r", "--start-on", "robot:mode", "--stop-on", "robot:step",
                                       f"{program.pid}") as recording:
        wait_until(lambda: has_all_groups(recording.process.pid) and recording.rests())
        program.tell("post", "move")
        out, err = recording.process.communicate(timeout=LIMIT)
        assert recording.process.returncode == 0, out + err
    latency = phase_of(tmp / "r", f"{NAME}/server/latency")
    assert (latency["status"], latency["reason"]) == ("skipped", "nothing was posted to it meanwhile"), latency
    values = phase_of(tmp / "r", "values")
    assert values["facts"][f"{NAME}/server/requests"] == "3, 0 of them meanwhile", values


def test_of_losses_those_from_the_first_event_on_are_told(tmp):
    with Program() as program, Running("record", "-o", tmp / "r", "--start-on", "robot:said", f"{program.pid}/robot") as recording:
        wait_until(lambda: has_all_groups(recording.process.pid) and recording.rests())
        recording.pause()
        program.tell("move", "move", "say")  # of the moves ten are lost, and of what is said behind "one" the longest
        told = recording.end(3)
        assert "events of 2 lists" in told and " 1 event lost " in told, told
    assert events_of(tmp / "r", status=3)[0]["fields"] == {"text": "one"}


def test_values_of_which_a_result_has_no_kind(tmp):
    with Program() as program, Running("record", "-o", tmp / "r", f"{program.pid}/other") as recording:
        wait_until(lambda: has_all_groups(recording.process.pid) and recording.rests())
        program.tell("post")
        recording.end(0)
        facts = phase_of(tmp / "r", "values")["facts"]
        assert facts[f"{NAME}/other/voltage"].startswith("n=43 "), facts
        assert facts[f"{NAME}/other/voltage"].endswith(", 43 of them meanwhile"), facts
        assert facts[f"{NAME}/other/copies"].endswith(", 4 of them meanwhile"), facts


def test_programs_that_begin_are_seen(tmp):
    name = f"begins{os.getpid()}"  # which no other program has
    own = shutil.copy(PROGRAM, tmp / name)
    with SensorProcess(own) as first, Running("record", "--period", "200us", "-o", tmp / "r", f"{name}/robot/moves") as recording:
        wait_until(lambda: (tmp / "r" / f"{name}-{first.pid}").exists())
        with SensorProcess(own) as second:
            wait_until(lambda: (tmp / "r" / f"{name}-{second.pid}").exists())
            second.tell("move")
        told = recording.end(0)
        assert "13 events of 2 lists" in told, told


def test_a_command_ends_with_the_recording(tmp):
    with Program(MAXLAT, "sensors", "record", "-o", str(tmp / "r"), "--stop-on", "robot:step", "--") as recording:
        wait_until(lambda: has_all_groups(recording.pid))
        recording.process.stdin.write("move\n")  # it may be ended before it has answered
        recording.process.stdin.flush()
        err = recording.process.stderr.read()
        assert recording.process.wait(timeout=LIMIT) == 0 and "2 events of 2 lists" in err, err
    with Program(MAXLAT, "sensors", "record", "-o", str(tmp / "i"), "--") as recording:
        wait_until(lambda: has_all_groups(recording.pid) and rests(recording.pid))
        recording.tell("move")
        recording.process.send_signal(signal.SIGINT)
        err = recording.process.stderr.read()
        assert recording.process.wait(timeout=LIMIT) == 0 and "13 events of 2 lists" in err, err


def test_a_command_ends_when_nothing_can_be_recorded(tmp):
    folder = str(tmp / "r")
    command = ["sh", "-c", 'rmdir "$1"; : > "$1"; exec "$0"', PROGRAM, folder]  # a file where the folder was
    with subprocess.Popen([MAXLAT, "sensors", "record", "-o", folder, "--", *command], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as recording:
        assert recording.wait(timeout=LIMIT) == 1
        # The command's input stays open, so this ends only when the recording ended the command.
        read = []
        reader = threading.Thread(target=lambda: read.append(recording.stderr.read()), daemon=True)
        reader.start()
        reader.join(LIMIT)
        assert read and "maxlat" in read[0], read


def test_stats(tmp):
    with Program() as program:
        program.tell("move")  # before, and not counted
        with Running("stats", "--json", "-D", "1h", f"{program.pid}") as stats:
            wait_until(lambda: has_all_groups(stats.process.pid) and stats.rests())
            stats.pause()
            program.tell("move", "move", "move", "post")
            rows = {row["sensor"].partition("/")[2]: row for row in stats.json()}
        moves = rows["robot/moves"]
        assert (moves["posts"], moves["lost"], moves["slots"], moves["most_in_a_look"]) == (39, 23, 16, 39), moves
        assert moves["slots_needed"] == 64 and rows["robot/log"]["slots_needed"] == 0, rows
        assert rows["server/latency"]["posts"] == 1001 and rows["server/requests"]["posts"] == 3, rows
        assert "posts" not in rows["server/queue"] and "slots" not in rows["server/latency"], rows
        text = run("sensors", "stats", "-i", "200us", "-D", "1ms", f"{program.pid}/robot/moves")
        assert text.startswith("sensor") and "slots needed" in text, text
        assert "no sensor is called" in run("sensors", "stats", f"{program.pid}/flight", status=1)
        with Running("stats", "--wait", "--json", "-D", "1h", f"{program.pid}/flight", f"{program.pid}/robot/moves") as stats:
            program.tell("fly")
            wait_until(lambda: has_groups(stats.process.pid, "flight") and stats.rests())
            rows = stats.json()
        assert len(rows) == 2 and all(row["looks"] >= 1 for row in rows), rows
        with Running("stats", "--wait", "--json", "-D", "1h", f"{program.pid}/other/requests") as stats:
            wait_until(lambda: has_groups(stats.process.pid, "other") and stats.rests())
            program.tell("post")
            assert stats.json()[0]["posts"] == 1 << 63, "over 2^64, where it was at 2^63"
        with Running("stats", "--wait", "-D", "1h", f"{program.pid}/nothing") as stats:
            wait_until(stats.can_be_interrupted)
            assert "there is no sensor to look at" in stats.end(1)


def test_mistakes(tmp):
    with Program() as program:
        assert "-o is missing\nhint: " in run("sensors", "record", status=1)
        for option in ("--start-on", "--stop-on", "--dump-on"):
            for event in ("", "robot/moves", "robot:mode:why", "robot mode"):
                told = run("sensors", "record", "-o", tmp / "r", option, event, f"{program.pid}", status=1)
                assert f'{option}: "{event}" is no event\nhint: an event is PROVIDER:NAME' in told, told
        assert "there is no command behind --" in run("sensors", "record", "-o", tmp / "r", "--", status=1)
        assert 'no sensor is called "no/such"' in run("sensors", "record", "-o", tmp / "r", "no/such", status=1)
        assert "period" in run("sensors", "record", "-o", tmp / "r", "--period", "0", status=1)
        assert "cannot start no-such-program" in run("sensors", "record", "-o", tmp / "r", "--", "no-such-program", status=1)
        assert "there was no sensor\nhint: " in run("sensors", "record", "-o", tmp / "r", "--", "true", status=3)
        assert not (tmp / "r").exists(), "what came to nothing leaves nothing"
        (tmp / "full").mkdir()
        (tmp / "full/file").write_text("")
        assert "is not empty\nhint: " in run("sensors", "record", "-o", tmp / "full", f"{program.pid}", status=1)
        assert "interval" in run("sensors", "stats", "-i", "5", status=1)
        assert "-i, --interval is longer than -D, --duration" in run("sensors", "stats", "-i", "2s", status=1)


run_cases(globals(), PROGRAM)
