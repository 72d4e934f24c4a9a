#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sensors_cases.py PROGRAM: `maxlat sensors` and a program with sensors (sensor_program.cpp). The binary is $MAXLAT."""
import itertools
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

from sensor_process import SensorProcess, sensors

PROGRAM = os.path.abspath(sys.argv[1])
NAME = os.path.basename(PROGRAM)[:15]


def Program(preexec=None):
    return SensorProcess(PROGRAM, preexec=preexec)


def value(program, name):
    (one,) = json.loads(sensors("get", "--json", f"{program.pid}/{name}"))
    assert (one["program"], one["pid"]) == (NAME, program.pid), one
    return one["value"]


def test_list():
    with Program() as one, Program() as two:
        text = sensors("list")
        for program in (one, two):
            assert re.search(rf"^{NAME}#{program.pid}/server/latency +histogram +ns +from request to answer$", text, re.M), text
        assert re.search(rf"^{NAME}#{one.pid}/robot/moves +events +what the robot did last$", text, re.M), text
        assert sensors("list", str(one.pid)).count(f"#{one.pid}/") == 11
        assert sensors("list", "robot").count("/robot/moves") >= 2, "a group by its name"
        text = sensors("list", f"{NAME}/server", f"{one.pid}")
        assert (text.count(f"#{one.pid}/"), text.count(f"#{two.pid}/")) == (11, 6), text
        assert sensors("list", "server/*t*").count(f"{NAME}#{two.pid}") == 3, sensors("list", "server/*t*")


def test_values():
    with Program() as program:
        assert value(program, "server/requests") == {"count": 0}
        assert value(program, "server/temperature") == {"count": 0, "settled": True}
        program.tell("post")
        assert value(program, "server/requests") == {"count": 3}
        assert value(program, "server/queue") == {"value": 2, "lowest": 0, "highest": 3, "within": True}
        assert value(program, "server/temperature") == {"count": 3, "settled": True, "value": 7, "min": -5, "max": 10, "sum": 12}
        answers = value(program, "server/answers")
        assert [(one["label"], one["count"]) for one in answers["counts"]] == [("yes", 1), ("no", 0), ('a "third"?[1m', 4)]
        assert answers["outside"] == 1
        latency = value(program, "server/latency")
        assert (latency["count"], latency["overflow"], latency["min"], latency["max"]) == (1001, 1, 1000, 1 << 40)
        assert latency["sum"] == 1000 * 1000 * 1001 // 2 + (1 << 40)
        assert sum(count for _, _, count in latency["bins"]) == 1000
        assert latency["outliers"] == [{"value": 1 << 40, "time": 0}] and 3e10 < latency["deviation"] < 4e10, latency
        assert all(low <= high for low, high, _ in latency["bins"])
        assert value(program, "other/requests") == {"count": 1 << 63}
        program.tell("post")
        assert value(program, "other/requests") == {"count": 0}, "from 2^64 on it begins anew"


def test_text():
    with Program() as program:
        program.tell("post")
        text = sensors("get", str(program.pid))
        assert re.search(r"/server/temperature +7 mK \(min -5 mK, mean 4 mK, max 10 mK, of 3\)$", text, re.M), text
        assert re.search(r"/server/latency +n=1001 min 1\.00 us p50 5\d\d us p99 .* max 1100 s \(1 beyond the range\)$", text, re.M), text
        assert "    standard deviation 34.7 s\n" in text and "    beyond the range: 1100 s\n" in text, text
        assert re.search(r"^    yes +1$", text, re.M) and re.search(r"^    \(no such index\) +1$", text, re.M), text
        assert "\x1b" not in text
        assert re.search(r"^    from +.* +\d+ #{50}$", text, re.M), text


def test_linear_histogram_and_map():
    with Program() as program:
        program.tell("post")
        voltage = value(program, "other/voltage")
        assert voltage["bins"] == [[low, low + 4, 5] for low in range(20, 60, 5)], voltage
        assert (voltage["count"], voltage["below"], voltage["overflow"]) == (43, 2, 1), voltage
        copies = value(program, "other/copies")
        assert copies["cells"] == [[1, 0, 2, 400], [2, 1, 1, 1000]] and copies["outside"] == 1, copies
        assert copies["x"] == {"name": "width", "unit": "px", "low": 0, "width": 16, "cells": 3}, copies
        text = sensors("get", f"{program.pid}/other/*")
        assert re.search(r"/other/voltage +n=43 min 18 mV p50 39 mV .* max 60 mV \(1 beyond the range\) \(2 below it\)$", text, re.M), text
        assert re.search(r"^    from +55 mV +5 #{50}$", text, re.M), text
        assert re.search(r"/other/copies +n=3 \(1 outside of it\)$", text, re.M), text
        assert "    height, from below; a mean of 1.00 us is @\n              110 px |  @|\n              100 px | : |\n" in text, text
        assert "width, from 0 px, 16 px a column\n" in text, text


def test_watch():
    with Program() as program:
        watching = subprocess.Popen([os.environ["MAXLAT"], "sensors", "watch", "-i", "10ms", f"{program.pid}/server/requests"],
                                    stdout=subprocess.PIPE, text=True)
        for line in watching.stdout:
            if line.endswith("/server/requests  0\n"):
                break
        program.tell("post")
        for line in watching.stdout:
            if line.endswith("/server/requests  3\n"):
                break
        watching.send_signal(signal.SIGINT)
        watching.communicate()
        assert watching.returncode == 0
        looks = sensors("watch", "-i", "1ms", "-l", "3", f"{program.pid}/other/requests")
        assert looks.count("/other/requests") == 3, looks


def test_watch_of_what_ends_and_comes():
    """Two short runs with --sensors, one after the other, and one look from before the first to behind the second."""
    pattern = f"{os.path.basename(os.environ['MAXLAT'])}/npt-cpu*/longest"
    assert "no sensor is called" in sensors("watch", "-l", "1", pattern, status=1)
    watching = subprocess.Popen([os.environ["MAXLAT"], "sensors", "watch", "--wait", "-i", "10ms", pattern],
                                stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(2):
            next(line for line in watching.stdout if line == f"--- waiting for {pattern}\n")
            measuring = subprocess.Popen([os.environ["MAXLAT"], "npt", "-a", "0", "-D", "60", "--sensors", "-q"],
                                         stdout=subprocess.DEVNULL)
            seen = f"#{measuring.pid}/npt-cpu0/longest  "
            next(line for line in watching.stdout if seen in line)
            measuring.send_signal(signal.SIGINT)
            next(line for line in watching.stdout if line.endswith(seen + "has ended\n"))
            measuring.wait()
        watching.send_signal(signal.SIGINT)
        assert watching.wait() == 0
    finally:
        watching.kill()
        watching.communicate()


def test_events():
    with Program() as program:
        moves = f"{program.pid}/robot/moves"
        books = ("posts", "delivered", "late", "overwritten", "dropped", "unfinished", "open", "pending")
        assert value(program, "robot/moves") == {"posts": 0, "slots": 16, "books": dict.fromkeys(books, 0), "events": []}
        before = time.time_ns()
        program.tell("move")
        after = time.time_ns()
        moved = value(program, "robot/moves")
        assert (moved["posts"], len(moved["events"])) == (13, 10), moved  # the last ten, unless more are asked for
        assert moved["books"] == dict.fromkeys(books, 0) | {"posts": 13, "delivered": 13}, moved
        (moved,) = json.loads(sensors("get", "--json", "--events", "100", moves))
        events = moved["value"]["events"]
        assert [event["position"] for event in events] == list(range(13))
        assert events[0]["event"] == "robot:mode" and events[1]["event"] == "robot:step"
        assert events[0]["fields"] == {"mode": {"value": 1, "label": "automatic"}, "why": 'a "start"\x1b[1m'}
        assert events[12]["fields"] == {"axis": 12, "position_mm": 6.0}
        times = [event["time_ns"] for event in events]
        # The clock may be slewed meanwhile.
        assert times == sorted(times) and before - 10**6 < times[0] and times[-1] < after + 10**6, (before, times, after)
        text = sensors("get", "--events", "13", moves)
        assert re.search(r"/robot/moves  13 posts$", text, re.M), text
        assert re.search(r'^    \[\d\d:\d\d:\d\d\.\d{9}\] cpu\d+ robot:mode: { mode = \( "automatic" : container = 1 \), '
                         r'why = "a \\"start\\"\\x1b\[1m" }$', text, re.M), text
        assert re.search(r"robot:step: { axis = 12, position_mm = 6 }$", text, re.M), text
        assert "    (3 more before these)\n" in sensors("get", moves)
        program.tell("move")
        text = sensors("get", "--events", "100", moves)
        assert "/robot/moves  26 posts, and places for the last 16\n" in text and text.count("robot:") == 16, text
        sensors("get", "--events", "-1", moves, status=1)


def test_events_that_vary_in_size():
    with Program() as program:
        program.tell("say")
        said = value(program, "robot/log")
        assert (said["posts"], said["slots"], said["bytes"], said["refused"]) == (6, 16, 256, 1), said
        assert [event["fields"]["text"] for event in said["events"]] == ["one", "two", "three", "x" * 220, "last"], said
        assert (said["books"]["posts"], said["books"]["delivered"]) == (5, 5), said
        text = sensors("get", "--events", "2", f"{program.pid}/robot/log")
        assert "/robot/log  6 posts, and places for the last 16 that have 256 bytes together (1 were too large)\n" in text, text
        assert "    (3 more before these)\n" in text and text.endswith('robot:said: { text = "last" }\n'), text
        text = sensors("check", f"{program.pid}/robot/log")
        assert f"#{program.pid}/robot/log: 5 events are there\n1 of 1 lists are as they should be\n" in text, text


def test_trace():
    """31 events, of which two packets are there: 12 of the second, and 7."""
    with Program() as program:
        program.tell("fly")
        trace = f"{program.pid}/flight/trace"
        (flown,) = json.loads(sensors("get", "--json", "--events", "100", trace))
        assert flown["kind"] == "events", flown
        flown = flown["value"]
        assert (flown["posts"], flown["bytes"], len(flown["events"])) == (31, 2 * (512 - 112), 19), flown
        assert {name: count for name, count in flown["books"].items() if count} == {"posts": 19, "delivered": 19}, flown
        assert [event["fields"]["axis"] for event in flown["events"][:-1]] == list(range(13, 31)), flown
        assert flown["events"][-1]["fields"] == {"mode": {"value": 0, "label": "manual"}, "why": "landed"}, flown
        times = [event["time_ns"] for event in flown["events"]]
        assert times == sorted(times) and abs(times[-1] - time.time_ns()) < 60e9 and flown["events"][0]["cpu"] >= 0, flown
        text = sensors("get", trace)
        assert "  31 posts, and places for the last 50 that have 800 bytes together\n" in text and "(9 more before these)" in text, text
        assert sensors("check", trace) == (f"{NAME}#{program.pid}/flight/trace: 19 events are there\n"
                                           "1 of 1 lists are as they should be\n")


def test_events_are_followed():
    with Program() as program:
        moves = f"{program.pid}/robot/moves"
        watching = subprocess.Popen([os.environ["MAXLAT"], "sensors", "watch", "-i", "10ms", "--events", "13", moves],
                                    stdout=subprocess.PIPE, text=True)
        try:
            next(line for line in watching.stdout if line.endswith("/robot/moves  0 posts\n"))
            for _ in range(2):
                program.tell("move")
                seen = list(itertools.islice((line for line in watching.stdout if "robot:" in line), 13))
                assert len(seen) == 13 and "robot:mode" in seen[0] and "axis = 12" in seen[-1], seen
        finally:
            watching.kill()
            watching.communicate()


def test_events_on_a_terminal_stay():
    """Each look is a page, with the last events also where none has come since."""
    with Program() as program:
        program.tell("move")
        ours, theirs = pty.openpty()
        watching = subprocess.Popen([os.environ["MAXLAT"], "sensors", "watch", "-i", "10ms", "-l", "3", "--events", "2",
                                     f"{program.pid}/robot/moves"], stdout=theirs)
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 4096):
                text += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        assert watching.wait() == 0
        pages = text.decode().split("\x1b[H\x1b[2J")[1:]
        assert len(pages) == 3 and all(page.count("robot:step") == 2 and "axis = 12" in page for page in pages), pages


def test_last_events_of_a_killed_program():
    with Program():  # that is watched, too
        see_the_end(f"{NAME}/robot/moves")
    see_the_end(None)
    see_the_end(None, "stick")  # as where a program crashes inside a post, and its handler posts


def see_the_end(pattern, *first):
    """Of a program that is watched and killed, by a pattern or by its pid alone: then nothing is left, and that is waited for."""
    with Program() as other:
        watching = subprocess.Popen([os.environ["MAXLAT"], "sensors", "watch", "-i", "10ms", pattern or f"{other.pid}/robot/moves"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            name = f"{NAME}#{other.pid}/robot/moves"
            next(line for line in watching.stdout if line.startswith(name))
            watching.send_signal(signal.SIGSTOP)
            for word in (*first, "move"):
                other.tell(word)
            other.process.kill()
            other.process.wait()
            watching.send_signal(signal.SIGCONT)
            # It may have been stopped within a look, which then has the events before it says that the program has ended.
            seen = ""
            while not (f"{name}  has ended\n" in seen and "axis = 12," in seen):
                line = watching.stdout.readline()
                assert line, seen
                seen += line
            assert re.search(r"^    \(3 more before these\)\n.*axis = 3,", seen, re.M), seen
            if pattern is None:
                next(line for line in watching.stdout if line == f"--- waiting for {other.pid}/robot/moves\n")
        finally:
            watching.kill()
            watching.communicate()


def test_merged_is_of_lists():
    """Who names what has no events would wait for ever."""
    with Program() as program:
        for values in ("server/requests", "server"):
            told = sensors("watch", "--merged", "-l", "1", f"{program.pid}/robot", f"{program.pid}/{values}", status=1)
            assert told == (f'maxlat sensors: --merged shows the events of lists, and "{program.pid}/{values}" is none\n'
                            "hint: leave out --merged to see its values\n"), told
        sensors("watch", "--merged", "-l", "1", f"{program.pid}", f"{program.pid}/robot/*")
        sensors("watch", "--merged", "--wait", "-l", "1", f"{program.pid}/server/requests")


def test_events_of_several_lists_are_one_sequence():
    with Program() as one, Program() as two:
        moves = [f"{program.pid}/robot/moves" for program in (one, two)]
        for program in (one, two, one):
            program.tell("move")
        # The list has places for 16 of the first program's 26 events, and nobody has looked.
        text = sensors("watch", "--merged", "-l", "1", *moves)
        seen = [int(re.search(r"\] \S+#(\d+)/robot/moves cpu\d+ robot:(?:step|mode): ", line)[1]) for line in text.splitlines()]
        assert seen == [one.pid] * 3 + [two.pid] * 13 + [one.pid] * 13, text
        times = re.findall(r"^\[(\S+)\]", text, re.M)
        assert times == sorted(times) and "(late)" not in text, text
        watching = subprocess.Popen([os.environ["MAXLAT"], "sensors", "watch", "--merged", "-i", "10ms", *moves],
                                    stdout=subprocess.PIPE, text=True)
        try:
            list(itertools.islice(watching.stdout, 29))
            watching.send_signal(signal.SIGSTOP)
            for _ in range(2):
                two.tell("move")
            watching.send_signal(signal.SIGCONT)
            assert watching.stdout.readline() == f"--- 10 events lost of {NAME}#{two.pid}/robot/moves\n"
            assert sum("robot:" in line for line in itertools.islice(watching.stdout, 16)) == 16
            one.process.kill()
            one.process.wait()
            assert f'no sensor is called "{one.pid}/robot/moves"' in sensors("watch", "--merged", "-i", "10ms", *moves, status=1)
            assert watching.stdout.readline() == f"--- waiting for {one.pid}/robot/moves\n"
            watching.send_signal(signal.SIGINT)
            assert watching.wait() == 0
        finally:
            watching.kill()
            watching.communicate()


def test_check():
    with Program() as program:
        program.tell("post")
        text = sensors("check", str(program.pid))
        assert "1 of 1 gauges are within their limits\n1 gauge without limits\n" in text, text
        assert "there is no gauge with limits" in sensors("check", f"{program.pid}/server/speed", status=1)
        program.tell("move")
        text = sensors("check", f"{program.pid}/robot/moves")
        assert f"#{program.pid}/robot/moves: 13 events are there\n" in text, text
        assert "1 of 1 lists are as they should be\n" in text and "gauges" not in text, text
        program.tell("lie")
        text = sensors("check", str(program.pid), status=3)
        assert "its memory contradicts itself: time goes back from one event to the next\n" in text, text
        assert "1 of 2 lists are as they should be\n" in text, text
        program.tell("overload")
        text = sensors("check", str(program.pid), status=2)
        assert f"#{program.pid}/server/queue: 4 (outside of 0 to 3)" in text and "0 of 1 gauges" in text, text
        sensors("check", f"{program.pid}/server/requests", status=1)


def test_export():
    with Program() as one, Program() as two:
        one.tell("post")
        text = sensors("export", str(one.pid), str(two.pid))
        assert text.endswith("# EOF\n")
        assert text.count("# TYPE server_latency_seconds histogram") == 1, text
        labels = rf'program="{NAME}",pid="{one.pid}",sensor="server/latency"'
        assert f"server_latency_seconds_count{{{labels}}} 1001\n" in text, text
        assert f'server_latency_seconds_bucket{{{labels},le="+Inf"}} 1001\n' in text
        buckets = re.findall(rf'server_latency_seconds_bucket{{{labels},le="([^"]*)"}} (\d+)', text)
        counts = [int(count) for _, count in buckets]
        bounds = [float(bound) for bound, _ in buckets]
        assert counts == sorted(counts) and bounds == sorted(bounds) and counts[-2:] == [1000, 1001], buckets
        assert f'server_queue{{program="{NAME}",pid="{one.pid}",sensor="server/queue"}} 2\n' in text
        assert 'label="a \\"third\\"?[1m"} 4\n' in text
        assert text.count('label="(outside)"}') == 2
        # What the reference parser asks for: a unit ends its family's name; _count and _sum come together.
        for family, unit in re.findall(r"^# UNIT (\S+) (.*)$", text, re.M):
            assert family.endswith("_" + unit), (family, unit)
        assert "# UNIT server_speed_meters_per_second meters_per_second" in text
        stat = rf'program="{NAME}",pid="{one.pid}",sensor="server/temperature"'
        for what, kelvins in (("last", "0.007"), ("min", "-0.005"), ("max", "0.01"), ("sum", "0.012"), ("mean", "0.004")):
            assert f'server_temperature_kelvin{{{stat},of="{what}"}} {kelvins}\n' in text, text
        assert f"server_temperature_posts_total{{{stat}}} 3\n" in text, text
        assert "\n# HELP server_queue requests that wait\n" in text and "\n# HELP server_temperature_kelvin The sensor " in text
        for kind in ("count", "sum"):
            assert len(re.findall(rf"^server_latency_seconds_{kind}{{", text, re.M)) == 2, text
        families = re.findall(r"^# TYPE (\S+)", text, re.M)
        assert len(families) == len(set(families)) == 11
        assert "copies" not in text, "a map has a value for each cell"
        # The two that are below the low bound are in each bucket.
        voltage = rf'program="{NAME}",pid="{one.pid}",sensor="other/voltage"'
        assert f'other_voltage_volts_bucket{{{voltage},le="0.024"}} 7\n' in text and f"other_voltage_volts_sum{{{voltage}}} 1.677\n" in text, text
        assert f'robot_moves_total{{program="{NAME}",pid="{one.pid}",sensor="robot/moves"}} 0\n' in text, text


def test_what_is_not_there():
    with Program() as program:
        assert 'no sensor is called "server/gone"\nhint: ' in sensors("get", "server/gone", "server/queue", status=1)
        pid = program.pid
    assert f'no sensor is called "{pid}"' in sensors("get", str(pid), status=1)


def test_killed_program_is_gone():
    with Program() as program:
        program.process.kill()
        program.process.wait()
        assert f"#{program.pid}/" not in sensors("list")


def test_another_users_are_not_seen():
    if os.geteuid() != 0:
        print("not root: nobody else's sensors to hide", file=sys.stderr)
        return
    with Program() as program:
        ended = subprocess.run([os.environ["MAXLAT"], "sensors", "list"], capture_output=True, text=True, timeout=60,
                               user=65534, group=65534, extra_groups=[], cwd="/")
        assert ended.returncode == 0 and f"#{program.pid}/" not in ended.stdout, ended


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print("ok", name)
