#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lost_streams.py: standard error on a full disk or closed, standard output closed or a pipe that nobody reads, and a
terminal that is gone (SIGHUP): what was measured is in its file all the same, and a command's status is its own."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

MAXLAT = os.environ["MAXLAT"]
NPT = ["npt", "--policy", "other", "--no-mlock", "-a", "0"]
SHORT = [*NPT, "-l", "20000", "--json", "npt.json"]
LIMIT_S = 60


def closing(number):
    return lambda: os.close(number)


def full(words, folder):
    with open("/dev/full", "w") as sink:
        return subprocess.run([MAXLAT, *words], cwd=folder, stdout=subprocess.PIPE, stderr=sink, timeout=LIMIT_S)


def samples(folder, name="npt.json"):
    return json.loads((folder / name).read_text())["phases"][0]["per_cpu"][0]["samples"]


def full_stderr_keeps_the_measurement(folder):
    assert full(SHORT, folder).returncode == 0
    assert samples(folder) == 20000


def full_stderr_leaves_each_status(folder):
    for words, status in ((["gate", "nofile", "--max", "1s"], 1), (["npt", "--arm", "dtrace"], 1), (["nothing"], 1),
                          (["load", "cpu", "-a", "0", "-D", "1s"], 0), (["trace", "print", "nofile"], 1)):
        ended = full(words, folder)
        assert ended.returncode == status, (words, ended)


def closed_stderr(folder):
    ended = subprocess.run([MAXLAT, *SHORT], cwd=folder, stdout=subprocess.PIPE, preexec_fn=closing(2), timeout=LIMIT_S)
    assert ended.returncode == 0 and samples(folder) == 20000, ended


def closed_stdout_is_an_error_after_the_file(folder):
    ended = subprocess.run([MAXLAT, *SHORT], cwd=folder, stderr=subprocess.PIPE, text=True, preexec_fn=closing(1), timeout=LIMIT_S)
    assert ended.returncode == 1 and "standard output: bad file descriptor" in ended.stderr, ended
    assert samples(folder) == 20000


def a_pipe_that_nobody_reads(folder):
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run([MAXLAT, *SHORT], cwd=folder, stdout=writing, stderr=writing, timeout=LIMIT_S)
    os.close(writing)
    assert ended.returncode == 1 and samples(folder) == 20000, ended


def a_terminal_that_is_gone(folder):
    for words in ([*NPT, "-D", "10m", "--json", "hup.json"], ["load", "cpu", "-a", "0", "-D", "10m", "--json", "hup.json"]):
        running = subprocess.Popen([MAXLAT, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        caught = pathlib.Path(f"/proc/{running.pid}/status")
        end = time.monotonic() + LIMIT_S
        # Its handler is there.
        while not int(caught.read_text().split("SigCgt:")[1].split()[0], 16) >> (signal.SIGHUP - 1) & 1:
            assert time.monotonic() < end, "it does not catch SIGHUP"
            time.sleep(0.01)
        running.send_signal(signal.SIGHUP)
        running.communicate(timeout=LIMIT_S)
        assert running.returncode >= 0, (words, running.returncode)
        assert json.loads((folder / "hup.json").read_text())["phases"], words
        (folder / "hup.json").unlink()


def main():
    failed = 0
    for case in (full_stderr_keeps_the_measurement, full_stderr_leaves_each_status, closed_stderr,
                 closed_stdout_is_an_error_after_the_file, a_pipe_that_nobody_reads, a_terminal_that_is_gone):
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(pathlib.Path(folder))
                print(f"ok - {case.__name__}")
            except Exception as wrong:  # the others are run all the same
                failed += 1
                print(f"not ok - {case.__name__}: {type(wrong).__name__}: {wrong}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
