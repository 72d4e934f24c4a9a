#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sensors_common_cases.py PROGRAM: a group of several processes (common_sensor_program.cpp), as `maxlat sensors` shows it.
The binary is $MAXLAT."""
import json
import os
import sys
import tempfile

from sensor_process import Directory, SensorProcess, sensors

PROGRAM = os.path.abspath(sys.argv[1])
NAME = os.path.basename(PROGRAM)


def values():
    return {one["name"]: one for one in json.loads(sensors("get", "--json", "--events", "9", "common/workers"))}


def test_processes_are_one_group():
    with Directory(), SensorProcess(PROGRAM) as a, SensorProcess(PROGRAM) as b:
        a.tell("post", "post")
        b.tell("post")
        seen = values()
        assert seen["requests"]["value"] == {"count": 3}, seen["requests"]
        assert (seen["requests"]["program"], seen["requests"]["pid"]) == ("common", 0), seen["requests"]
        assert [event["fields"]["number"] for event in seen["last"]["value"]["events"]] == [0, 1, 0], seen["last"]
        assert seen["latency"]["value"]["count"] == 3
        listed = [line for line in sensors("list", "workers").splitlines() if "workers/requests" in line]
        assert len(listed) == 1 and listed[0].split()[0] == "common/workers/requests", listed
        assert 'program="common"' in sensors("export", "workers/requests")
        with SensorProcess(PROGRAM) as late:
            late.tell("post")
            b.process.kill()
            b.process.wait()
            assert values()["requests"]["value"] == {"count": 4}


def test_a_third_party_makes_it():
    """Who has the struct and posts nothing makes the group for those that come and go."""
    with Directory(), SensorProcess(PROGRAM):
        for count in (1, 2):
            with SensorProcess(PROGRAM) as worker:
                worker.tell("post")
            assert values()["requests"]["value"] == {"count": count}


def test_is_recorded_as_any_other():
    with Directory(), SensorProcess(PROGRAM) as a, tempfile.TemporaryDirectory() as folder:
        a.tell("post")
        sensors("record", "-o", folder + "/r", "-D", "100ms", "workers")
        assert "worker:request" in sensors("print", folder + "/r")


def test_what_was_posted_last_is_kept():
    with Directory():
        with SensorProcess(PROGRAM) as a, SensorProcess(PROGRAM) as b:
            a.tell("post")
            b.tell("post")
        while "its program" not in sensors("list", "common/workers"):
            pass
        assert values()["requests"]["value"] == {"count": 2} and values()["requests"]["ended"]
        with SensorProcess(PROGRAM) as anew:
            anew.tell("post")
            (text,) = [line for line in sensors("watch", "-l", "1", "workers/requests").splitlines() if "requests" in line]
            assert text.split()[1] == "1", text
        assert "forgotten: common/workers" in sensors("directory", "--forget", "common/workers")


def test_without_a_directory_it_is_each_ones_own():
    with SensorProcess(PROGRAM) as a, SensorProcess(PROGRAM) as b:
        a.tell("post")
        b.tell("post")
        for one in a, b:
            (count,) = json.loads(sensors("get", "--json", f"{one.pid}/workers/requests"))
            assert (count["value"], count["program"]) == ({"count": 1}, NAME), count
            told = one.process.stderr.readline()
            assert told == ("maxlat: sensors workers: no directory runs (`maxlat sensors directory` is one); they are this "
                            "process's alone\n"), told


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                print(name, flush=True)
                test()


if __name__ == "__main__":
    main()
