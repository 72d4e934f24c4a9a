#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sensors_directory_cases.py PROGRAM: `maxlat sensors directory` and programs with sensors (sensor_program.cpp) that end.
The binary is $MAXLAT."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from sensor_process import Directory, SensorProcess, sensors

PROGRAM = os.path.abspath(sys.argv[1])
NAME = os.path.basename(PROGRAM)[:15]


def ended_program(*words):
    """Its number. The directory has heard of its end."""
    with SensorProcess(PROGRAM) as program:
        program.tell(*words)
    while "its program" not in sensors("list", str(program.pid)):
        pass
    return program.pid


def test_what_a_killed_program_posted_last():
    with Directory() as directory:
        assert "/maxlat/sensors.directory; of programs that run already: " in directory.told, directory.told
        began = time.time_ns()
        pid = ended_program("post", "move")
        values = {f"{one['group']}/{one['name']}": one for one in json.loads(sensors("get", "--json", "--events", "100", str(pid)))}
        assert all(began <= one["ended_ns"] <= time.time_ns() for one in values.values()), began
        assert len(values) == 11 and all(one["ended"] and one["pid"] == pid for one in values.values()), list(values)
        assert (values["server/latency"]["value"]["count"], values["server/latency"]["value"]["max"]) == (1001, 1 << 40)
        assert [event["position"] for event in values["robot/moves"]["value"]["events"]] == list(range(13))
        text = sensors("get", f"{pid}/server/latency")
        assert text.startswith(f"{NAME}#{pid}/server/latency (ended)  n=1001 "), text
        listed = sensors("list", f"{pid}/server/latency").splitlines()
        assert listed[0].endswith("  its program") and re.search(r"  ended 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$", listed[1]), listed


def test_only_list_and_get_have_what_ended():
    with Directory():
        pid = str(ended_program("post"))
        for command in (["watch", "-l", "1"], ["check"], ["export"], ["stats", "-D", "50ms"]):
            told = sensors(*command, pid, status=1)
            assert f'the program of "{pid}" has ended\nhint: `maxlat sensors get` shows what' in told, told
        with SensorProcess(PROGRAM) as running:
            text = sensors("get", "--json")
            assert '"ended": true' in text and f'"pid": {running.pid}' in text
            mine = json.loads(sensors("get", "--json", str(running.pid)))
            assert len(mine) == 11 and not any("ended" in one for one in mine), "once, and it runs"


def test_a_directory_that_begins_later_and_one_that_dies():
    with SensorProcess(PROGRAM) as program:
        with Directory() as first:
            first.process.kill()
            first.process.wait()
            first.process.returncode = 0  # as it was asked to
        assert len(json.loads(sensors("get", "--json", str(program.pid)))) == 11, "monitors go on without"
        with Directory():
            program.tell("post")
            program.process.kill()
            program.process.wait()
            while "its program" not in sensors("list", str(program.pid)):
                pass
            (one,) = json.loads(sensors("get", "--json", f"{program.pid}/server/requests"))
            assert (one["value"], one["ended"]) == ({"count": 3}, True), one


def test_so_many_are_kept_and_forgotten():
    with Directory("--keep", "1"):
        first, last = ended_program(), ended_program()
        sensors("list", str(first), status=1)
        assert sensors("list", str(last)).count(f"#{last}/") == 11
        assert sensors("directory", "--forget", f"{last}/robot/moves") == f"forgotten: {NAME}#{last}/robot\n"
        assert sensors("list", str(last)).count(f"#{last}/") == 9
        assert sensors("directory", "--forget", str(last)).count("forgotten: ") == 2
        told = sensors("directory", "--forget", str(last), status=1)
        assert f'nothing is kept of an ended program that is called "{last}"' in told, told
        with SensorProcess(PROGRAM) as running:
            sensors("directory", "--forget", str(running.pid), status=1)


def test_a_directory_without_rules_ends_with_its_terminal():
    with Directory() as directory:
        directory.process.send_signal(signal.SIGHUP)
        directory.process.wait()


def test_bad_input():
    with Directory():
        assert "there is a directory at " in sensors("directory", status=1)
    for words, told in ((["robot"], "needs --forget"), (["--forget"], "needs a pattern"), (["--allow", "/dev/null"], "needs --system"),
                        (["--forget", "--system", "x"], "by itself"), (["--keep", "-1"], "--keep"), (["--forget", "--keep", "3", "x"], "--keep"),
                        (["--system", "--allow", "/none"], "cannot read /none: ")):
        assert told in sensors("directory", *words, status=1), words
    with tempfile.NamedTemporaryFile("w", suffix=".allow") as rules:
        rules.write("allow root *\nallow whom?\n")
        rules.flush()
        told = sensors("directory", "--system", "--allow", rules.name, status=1)
        assert f'{rules.name}: line 2: not a rule: "allow whom?"\nhint: allow USER|@GROUP' in told, told


def test_roots_directory_for_everybody():
    """With a /run of its own. As root alone."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("# not root, or no mount namespaces: root's directory was not tried")
        return
    inside = """mount -t tmpfs none /run && exec "$@" """
    for case in SYSTEM_CASES:
        ended = subprocess.run(["unshare", "--mount", "sh", "-c", inside, "sh", sys.executable, __file__, PROGRAM, case],
                               capture_output=True, text=True)
        assert ended.returncode == 0, case + ":\n" + ended.stdout + ended.stderr


def as_user(user):
    def become():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    return become


def seen_by(user, what):
    return subprocess.run([os.environ["MAXLAT"], "sensors", "list", what], preexec_fn=as_user(user), capture_output=True, text=True,
                          env={**os.environ, "XDG_RUNTIME_DIR": "/nowhere"}).stdout.count(f"#{what}/")


def system_who_sees_what():
    with tempfile.NamedTemporaryFile("w", suffix=".allow") as rules:
        rules.write(f"allow 5002 {NAME}/ser*  # the server's\n")
        rules.flush()
        with Directory("--system", "--allow", rules.name) as directory:
            assert directory.told.startswith("keeps sensors, at /run/maxlat/sensors.directory; "), directory.told
            with SensorProcess(PROGRAM, preexec=as_user(5001)) as program:
                what = str(program.pid)
                for state in ("running", "ended"):
                    seen = [seen_by(user, what) for user in (5001, 5002, 5003)]
                    assert seen == [11, 6, 0], (state, seen)
                    assert sensors("list", what).count(f"#{what}/") == 11
                    if state == "running":
                        program.process.kill()
                        program.process.wait()
                        while "its program" not in sensors("list", what):
                            pass
            told = subprocess.run([os.environ["MAXLAT"], "sensors", "directory", "--forget", what], preexec_fn=as_user(5002),
                                  capture_output=True, text=True)
            assert told.returncode == 1 and "not kept, or another user's: " in told.stderr, told
            assert sensors("directory", "--forget", what).count("forgotten: ") == 3


def system_a_monitor_outlives_the_directory():
    with tempfile.NamedTemporaryFile("w", suffix=".allow") as rules, SensorProcess(PROGRAM, preexec=as_user(5001)) as program:
        rules.write(f"allow 5002 {NAME}/server\n")
        rules.flush()
        watched = f"{program.pid}/server/requests"
        with Directory("--system", "--allow", rules.name) as directory:
            watch = subprocess.Popen([os.environ["MAXLAT"], "sensors", "watch", "-i", "20ms", watched], preexec_fn=as_user(5002),
                                     stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_RUNTIME_DIR": "/nowhere"})
            lines = (line.strip() for line in watch.stdout if not line.startswith("#"))
            assert next(lines).endswith("/requests  0")
            directory.process.kill()
            directory.process.wait()
            directory.process.returncode = 0  # as it was asked to
        program.tell("post")
        while (line := next(lines)).endswith("/requests  0"):
            pass
        assert line.endswith("/requests  3"), line
        program.process.kill()
        program.process.wait()
        while (line := next(lines)).endswith("/requests  3"):
            pass
        assert line.endswith("/requests  has ended"), line
        watch.kill()
        watch.communicate()


def system_rules_are_read_again(preexec=None):
    with tempfile.TemporaryDirectory() as folder:
        rules = folder + "/rules.allow"

        def write(text):
            with open(rules, "w") as file:
                file.write(text)

        def read_again(directory):
            directory.process.send_signal(signal.SIGHUP)
            return directory.process.stderr.readline()

        write(f"allow 5002 {NAME}/*\n")
        with Directory("--system", "--allow", rules, preexec=preexec, stderr=subprocess.PIPE) as directory:
            with SensorProcess(PROGRAM, preexec=as_user(5001)) as program:
                def seen():
                    return [seen_by(user, str(program.pid)) > 0 for user in (5001, 5002, 5003)]

                assert seen() == [True, True, False]
                write(f"# another one\nallow 5003 {NAME}/server\n")
                told = read_again(directory)
                assert told == f"maxlat sensors: {rules} has 1 rule now; what monitors have got already they keep\n", told
                assert seen() == [True, False, True]
                write("allow 5002 *\nallow \x1bwhom?\n")
                told = read_again(directory)
                kept = "maxlat sensors: the rules stay as they were: "
                assert told.startswith(kept + f'{rules}: line 2: not a rule: "allow ?whom?" (allow USER|@GROUP'), told
                assert seen() == [True, False, True], "the file is wrong"
                os.remove(rules)
                told = read_again(directory)
                assert told == kept + f"cannot read {rules}: no such file or directory\n", told
                assert seen() == [True, False, True], "there is no file"
                for become, why in ((lambda: os.mkfifo(rules), " is not a file"),
                                    (lambda: os.symlink("/dev/zero", rules), " is not a file"),
                                    (lambda: write("#" * (1 << 20) + "\n"), " has more than 1 MiB: these are no rules")):
                    become()
                    told = read_again(directory)
                    assert told == f"{kept}{rules}{why}\n", told
                    os.remove(rules)
                assert seen() == [True, False, True], "what is there is not a file"
                write("")
                assert " has 0 rules now; " in read_again(directory)
                assert seen() == [True, False, False]
                program.process.kill()
                program.process.wait()
                while "its program" not in sensors("list", str(program.pid)):
                    pass
                write("allow * *")
                assert " has 1 rule now; " in read_again(directory)
                assert seen() == [True, True, True], "of what has ended, too"


def system_rules_are_read_again_under_nohup():
    system_rules_are_read_again(lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))


SYSTEM_CASES = [name for name in globals() if name.startswith("system_")]

if __name__ == "__main__":
    if sys.argv[2:]:
        globals()[sys.argv[2]]()
        sys.exit()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder  # programs of other tests do not come here
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test()
                print("ok", name)
