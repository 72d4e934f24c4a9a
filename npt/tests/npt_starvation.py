#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""npt_starvation.py [CHECK...]: a task of higher priority keeps the CPU of a loop of npt or hwlat. The command ends, names the
task, and writes what it has. MAXLAT is the program.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

from tap import MAXLAT, measuring, needs_root_and_fifo, run_checks, wait_for

CPUS = sorted(os.sched_getaffinity(0))
CPU = CPUS[-1]
NPT = ["npt"]
HWLAT = ["hwlat", "--backend", "loop", "--trust-counter", "--window", "200ms"]


def stat_of(pid):
    """The fields of /proc/PID/stat from the state on; None when there is no such process."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


SPINS = "while True: pass"
# A third of each 60 ms.
COMES_AND_GOES = """
import time
while True:
    until = time.monotonic() + 0.02
    while time.monotonic() < until: pass
    time.sleep(0.04)
"""


@contextlib.contextmanager
def hog(program=SPINS):
    """The id of a SCHED_FIFO 99 program that has CPU. Whatever happens here, it ends after 90 s."""
    outer = subprocess.Popen(["timeout", "-s", "KILL", "90", "taskset", "-c", str(CPU), "chrt", "-f", "99", sys.executable, "-c",
                              program])

    def child():
        for pid in (int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()):
            stat = stat_of(pid)
            if stat and int(stat[1]) == outer.pid and stat[37] == "99" and int(stat[11]) > 5:
                return pid
        return None

    pid = None
    try:
        pid = wait_for(child, "hog", 60)
        yield pid
    finally:
        if pid:
            os.kill(pid, signal.SIGKILL)
        outer.wait()


def start(meter, *arguments):
    return subprocess.Popen([MAXLAT, *meter, "-p", "90", "-q", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ends_and_names(run, pid):
    try:
        _, err = run.communicate(timeout=75)
    except subprocess.TimeoutExpired:
        run.kill()
        raise AssertionError("it does not end") from None
    assert run.returncode == 3, f"exit status {run.returncode}: {err}"
    assert f"(pid {pid}, SCHED_FIFO 99) kept CPU {CPU} from the loop" in err, err


def no_cpu_from_the_beginning(meter):
    with hog() as pid:
        ends_and_names(start(meter, "-a", str(CPU), "-D", "1h"), pid)


def the_cpu_is_taken_later(meter, folder):
    run = start(meter, "-a", str(CPU), "-D", "8s", "--json", f"{folder}/r.json")
    measuring(run)
    with hog() as pid:
        ends_and_names(run, pid)
    phase = json.loads(pathlib.Path(f"{folder}/r.json").read_text())["phases"][0]
    assert phase["status"] == "invalid" and "kept CPU" in phase["reason"], phase["reason"]
    assert phase["per_cpu"][0]["samples"] > 0


def a_part_of_the_cpu_is_taken(meter, folder):
    """The loop ends by itself, and its gaps are the other program's: not valid."""
    with hog(COMES_AND_GOES):
        run = start(meter, "-a", str(CPU), "-D", "2s", "--json", f"{folder}/r.json")
        _, err = run.communicate(timeout=75)
    phase = json.loads(pathlib.Path(f"{folder}/r.json").read_text())["phases"][0]
    assert run.returncode == 3 and phase["status"] == "invalid", f"exit status {run.returncode}, {phase['status']}: {err}"
    assert f"other tasks had CPU {CPU} for" in phase["reason"], phase["reason"]


def a_signal_ends_it(meter):
    """A terminal and a wrapper both send it, which is no second wish."""
    with hog() as pid:
        run = start(meter, "-a", str(CPU), "-D", "1h")
        waits = lambda: any((stat_of(f"{run.pid}/task/{task}") or [""] * 38)[37] == "90" for task in os.listdir(f"/proc/{run.pid}/task"))
        wait_for(waits, "measuring thread")
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGINT)
        ends_and_names(run, pid)


def npt_without_cpu_from_the_beginning(_folder):
    no_cpu_from_the_beginning(NPT)


def hwlat_without_cpu_from_the_beginning(_folder):
    no_cpu_from_the_beginning(HWLAT)


def npt_whose_cpu_is_taken_later(folder):
    the_cpu_is_taken_later(NPT, folder)


def hwlat_whose_cpu_is_taken_later(folder):
    the_cpu_is_taken_later(HWLAT, folder)


def npt_that_has_a_part_of_its_cpu(folder):
    a_part_of_the_cpu_is_taken(NPT, folder)


def hwlat_that_has_a_part_of_its_cpu(folder):
    a_part_of_the_cpu_is_taken(HWLAT, folder)


def npt_that_a_signal_ends(_folder):
    a_signal_ends_it(NPT)


def hwlat_that_a_signal_ends(_folder):
    a_signal_ends_it(HWLAT)


def npt_on_all_cpus(_folder):
    """No CPU is left for its main thread but those of the loops that end."""
    with hog() as pid:
        ends_and_names(start(NPT, "-a", "-D", "1s"), pid)


if __name__ == "__main__":
    needs_root_and_fifo()
    if len(CPUS) < 2:
        print("needs two CPUs")
        sys.exit(77)
    sys.exit(run_checks([npt_without_cpu_from_the_beginning, npt_whose_cpu_is_taken_later, npt_that_a_signal_ends,
                         npt_on_all_cpus, npt_that_has_a_part_of_its_cpu, hwlat_that_has_a_part_of_its_cpu,
                         hwlat_without_cpu_from_the_beginning, hwlat_whose_cpu_is_taken_later, hwlat_that_a_signal_ends],
                        sys.argv[1:]))
