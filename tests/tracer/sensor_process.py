# SPDX-License-Identifier: MIT
"""A program with sensors (sensor_program.cpp), for tests: it posts what it is told. And who looks: `maxlat sensors`."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds, only so that a failure ends


def _ended(*words, status):
    ended = subprocess.run([os.environ["MAXLAT"], *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=LIMIT)
    assert ended.returncode == status, f"{words}: {ended.returncode}, not {status}\n{ended.stdout}{ended.stderr}"
    return ended


def run(*words, status=0):
    """RETURNS: what it said, all of it."""
    ended = _ended(*words, status=status)
    return ended.stdout + ended.stderr


def wait_until(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.002)


def run_cases(cases, program):
    """Each function test_... of them, with a folder of its own. 77: no trace can be made here."""
    with SensorProcess(program) as one, tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run([os.environ["MAXLAT"], "sensors", "record", "-D", "1ms", "-o", f"{folder}/r", f"{one.pid}"],
                               capture_output=True, text=True, timeout=LIMIT)
    if ended.returncode == 77:
        print("cannot run here:", ended.stderr, file=sys.stderr)
        sys.exit(77)
    for name, test in list(cases.items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as folder:
                test(pathlib.Path(folder))
            print("ok", name, flush=True)


def sensors(*arguments, status=0):
    ended = _ended("sensors", *arguments, status=status)
    # Of what is right, stderr tells of other programs' memory that is refused: that of tests beside this one.
    return ended.stdout + (ended.stderr if status != 0 else "")


class GoesWithTheBlock:
    """Whoever has a `process`, which is killed when the block ends."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


class SensorProcess(GoesWithTheBlock):
    """Runs while the block does. `words`: the program, or a command that runs it."""

    def __init__(self, *words, preexec=None, environment=None):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        preexec_fn=preexec, env=environment)
        self.pid = self.process.pid
        self.tell("nothing")  # it has been loaded

    def tell(self, *words):
        for word in words:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
            assert self.process.stdout.readline() == "done\n"


class Directory:
    """Runs while the block does."""

    def __init__(self, *options, preexec=None, stderr=None):
        self.process = subprocess.Popen([os.environ["MAXLAT"], "sensors", "directory", *options], stdout=subprocess.PIPE,
                                        stderr=stderr, text=True, preexec_fn=preexec)
        self.told = self.process.stdout.readline()  # it listens

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()
        assert self.process.returncode == 0
