#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_programs.py BUILD: the programs of bench/papers/all make their tables whole, in three rounds; no figure is judged."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from check_recorder import script
from recorder import PREFIX, TRACING

HERE = pathlib.Path(__file__).resolve().parent
ROWS = {"primitives": 13, "barriers": 2, "breakpoint": 8, "scaling": len(os.sched_getaffinity(0)), "round_trip": 2, "worst_case": 4,
        "k42": 10, "sensors": 19}  # of its one table
wrong = []


def expect(found, what):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        wrong.append(what)


def ended(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100)


def program(path, rows):
    run = ended(path, "3")
    if run.returncode == 77:
        expect(run.stdout.strip().splitlines()[-1][0].islower(), f"{path.name} says why it cannot run here: {run.stdout.splitlines()[-1]}")
        return
    expect(run.returncode == 0, f"{path.name} ends well: {run.returncode} {run.stderr}")
    table = [line for line in run.stdout.splitlines() if line.startswith("| ")]
    expect(len(table) == rows + 1, f"{path.name} has a head and {rows} rows: {len(table)} lines")
    expect(len({line.count("|") for line in table}) == 1, f"{path.name}: each row has its cells")
    expect(not re.search(r"\b(nan|inf)\b|\| 0\.0+ \| 0\.0+ \|", run.stdout), f"{path.name}: each figure is one")
    expect(re.search(r"^\d+ rounds, \d+ ", run.stdout, re.M), f"{path.name} says of how many rounds")
    for argument in ("0", "many"):
        refused = ended(path, argument)
        expect(refused.returncode == 1 and refused.stderr.startswith("usage: "), f"{path.name} refuses \"{argument}\"")


def race(build):
    """Its schedules are drawn from seeds, so that it is the same everywhere."""
    rows = [line.strip("| ").split(" | ") for line in ended(build / "bench/papers/paper_k42", "3").stdout.splitlines() if re.match(r"\| \d", line)]
    expect(all(int(row[2]) > 0 for row in rows if int(row[0]) <= 2), "K42's race strikes where one or two events fill a sub-buffer")
    expect(all(row[4] == "0" for row in rows), "and never where the count must be that of the pass")


def workloads():
    """With programs in the place of tbench and dbench: no figure is judged."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("tbench", "exit 3"), ("tbench_srv", "exec python3 -m http.server --bind 127.0.0.1 7003"), ("dbench", "echo 'Throughput 5.5 MB/sec  2 procs'")):
            program_file = pathlib.Path(folder, name)
            program_file.write_text(f"#!/bin/sh\n{text}\n")
            program_file.chmod(0o755)
        run = subprocess.run([HERE / "workloads", "--rounds", "2", "--only", "dbench,tbench"], capture_output=True, text=True, timeout=100,
                             env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    if run.returncode == 77:
        expect("cannot be traced here" in run.stdout, "workloads says why it cannot run here")
        return
    rows = [line.strip("| ").split(" | ") for line in run.stdout.splitlines() if re.match(r"\| [td]bench", line)]
    expect(len(rows) == 8 and run.returncode == 1, f"workloads has four rows each, and one fails: {run.returncode} {run.stderr}")
    perf, others = [row for row in rows if row[1].startswith("perf")], [row for row in rows if not row[1].startswith("perf")]
    expect(all(row[2] == "5.5 MB/s" and row[3].startswith("1.00") for row in others[:3]), f"the figure is the program's own: {others[:3]}")
    expect(others[0][5] == "0" and all(int(row[5]) > 0 for row in others[1:3]), "there are events where it is traced, and only there")
    expect(all(row[2].startswith("failed: exit status 3") for row in others[3:]), f"a workload that fails has its reason in each row: {others[3:]}")
    if shutil.which("perf"):
        expect(perf[0][2] == "5.5 MB/s" and perf[0][5] == "not counted" and "failed: " in perf[1][2], f"so it is beside perf: {perf}")
    else:
        expect(all(row[2].startswith("not run: ") for row in perf), f"and perf, which is not there, has that: {perf}")
    for options, why in ((["--seconds", "1"], "no measurement"), (["--only", "netperf"], "no workload netperf")):
        refused = ended(HERE / "workloads", *options)
        expect(refused.returncode != 0 and why in refused.stderr, f"workloads refuses {' '.join(options)}")


def no_loopback(build):
    if os.geteuid() != 0:
        return
    run = ended("unshare", "--net", build / "bench/papers/paper_round_trip", "3")
    expect(run.returncode == 77 and re.search("^(there is no loopback to send on|the kernel cannot be traced here): ", run.stdout, re.M),
           f"paper_round_trip says that there is no loopback: {run.returncode} {run.stdout} {run.stderr}")
    expect(not list(TRACING.glob(f"instances/{PREFIX}*")), "and leaves no instance of tracefs")


def no_session(build):
    run = ended("sh", "-c", 'ulimit -f 0; exec "$0" 1', build / "bench/papers/paper_worst_case")
    expect(run.returncode == 77 and "the tracer does not start: a session's memory of" in run.stdout,
           f"paper_worst_case says why its tracer does not start: {run.returncode} {run.stdout} {run.stderr}")


def killed(build):
    """The instance of a program that was killed is removed by the next one."""
    if script("workloads").why_nothing_can_be_traced():
        return
    path = build / "bench/papers/paper_round_trip"
    with subprocess.Popen([path, "1000000"], stdout=subprocess.DEVNULL) as run:
        instance = TRACING / f"instances/{PREFIX}{run.pid}"
        while run.poll() is None and not instance.exists():
            time.sleep(0.01)
        run.kill()
    expect(instance.exists(), "paper_round_trip that was killed leaves its instance")
    ended(path, "3")
    expect(not instance.exists(), "and the next one removes it")


def untrusted_clock(build):
    """Where the kernel does not trust the counter: nobody reads these traces' times."""
    if os.geteuid() != 0:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".clocks") as clocks:
        print("hpet", file=clocks, flush=True)
        others = " && ".join(f"mount --bind {clocks.name} /sys/devices/system/clocksource/clocksource0/{name}_clocksource"
                             for name in ("current", "available"))
        for question in ("scaling", "breakpoint", "worst_case", "sensors"):
            run = ended("unshare", "--mount", "sh", "-c", f'{others} && exec "$0" 1', build / f"bench/papers/paper_{question}")
            expect(run.returncode == 0 or "no breakpoint can be set" in run.stdout,
                   f"paper_{question} needs no clock that the kernel trusts: {run.returncode} {run.stdout[-200:]} {run.stderr}")


def main(build):
    for name, rows in ROWS.items():
        program(build / f"bench/papers/paper_{name}", rows)
    race(build)
    no_loopback(build)
    no_session(build)
    killed(build)
    untrusted_clock(build)
    workloads()
    nothing = ended(HERE / "all", "/nonexistent")
    expect(nothing.returncode == 1 and nothing.stderr.startswith("all: not built: "), "all says what is not built")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
