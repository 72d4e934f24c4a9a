#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""npt_effects.py [CHECK...]: what maxlat npt does to threads, files and its exit status, seen from outside.

The program is $MAXLAT. Needs SCHED_FIFO; says 77 without. No check passes or fails by how fast this machine is.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from tap import MAXLAT, TAKEN, measuring, needs_root_and_fifo, run_checks, wait_for

CPUS = sorted(os.sched_getaffinity(0))
REST = ["--rest", "100ms"]  # these runs must not be stopped by the scheduler
FIFO, RR = os.SCHED_FIFO, os.SCHED_RR


def start(*arguments, **kwargs):
    return subprocess.Popen([MAXLAT, "npt", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)


def result_of(path):
    run = json.loads(pathlib.Path(path).read_text())
    assert run["schema"] == "maxlat-result/1"
    phase, = run["phases"]
    for cpu in phase["per_cpu"]:
        counted = sum(b[2] for b in cpu["histogram"]["bins"]) + cpu["histogram"].get("overflow_count", 0)
        assert counted == cpu["samples"], f"CPU {cpu['cpu']}: bins hold {counted} of {cpu['samples']} samples"
    return run, phase


def threads_with(pid, policy, priority):
    """{CPU list: thread} of the threads that run under the policy now."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        tid = int(task.name)
        try:
            if os.sched_getscheduler(tid) == policy and os.sched_getparam(tid).sched_priority == priority:
                found[re.search(r"Cpus_allowed_list:\s*(\S+)", (task / "status").read_text())[1]] = tid
        except (ProcessLookupError, FileNotFoundError):
            pass
    return found


def affinity_and_policy_are_applied(folder):
    for policy, name, priority in ((FIFO, "fifo", 81), (RR, "rr", 42)):
        run = start("-a", ",".join(map(str, CPUS)), "-D", "30s", "--policy", name, "-p", str(priority), "-q", *REST)
        try:
            wanted = {str(cpu) for cpu in CPUS}
            wait_for(lambda: set(threads_with(run.pid, policy, priority)) == wanted, f"{name} {priority} thread on each of {wanted}")
            locked = re.search(r"VmLck:\s*(\d+)", pathlib.Path(f"/proc/{run.pid}/status").read_text())[1]
            assert int(locked) > 1000, f"VmLck is {locked} kB: memory is not locked"
        finally:
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=30)
        assert run.returncode == 0, f"after SIGINT: exit status {run.returncode}"


def two_cpus_have_their_own_books(folder):
    run = start("-a", ",".join(map(str, CPUS)), "-D", "1s", "--json", f"{folder}/r.json", "-q", *REST)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    _, phase = result_of(f"{folder}/r.json")
    assert [cpu["cpu"] for cpu in phase["per_cpu"]] == CPUS
    assert all(cpu["samples"] > 100000 for cpu in phase["per_cpu"])
    assert phase["facts"]["page_faults_in_loop"] == "0", phase["facts"]


def an_interrupt_keeps_the_results(folder):
    run = start("-a", str(CPUS[-1]), "-D", "1h", "--json", f"{folder}/r.json", "-q", *REST)
    wait_for(lambda: threads_with(run.pid, FIFO, 99), "measuring thread")
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=30)
    assert run.returncode == 0, err
    whole, phase = result_of(f"{folder}/r.json")
    assert phase["status"] == "interrupted" and "signal" in phase["reason"]
    assert phase["per_cpu"][0]["samples"] > 0


def a_run_without_an_end_is_complete_when_a_signal_ends_it(folder):
    """Nobody has asked for more: it can be gated."""
    for command in (["npt", *REST], ["hwlat", "--backend", "loop", "--trust-counter", "--window", "200ms", "--width", "100ms"]):
        run = subprocess.Popen([MAXLAT, *command, "-a", str(CPUS[-1]), "-D", "0", "-q", "--json", f"{folder}/r.json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        measuring(run)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=30)
        result, phase = result_of(f"{folder}/r.json")
        assert run.returncode == 0, f"{command[0]}: exit status {run.returncode}: {err} {phase['reason']}"
        assert (result["run"]["status"], phase["status"]) == ("complete", "ok"), f"{command[0]}: {phase['status']}: {phase['reason']}"
        gate = subprocess.run([MAXLAT, "gate", f"{folder}/r.json", "--max", "1h"], capture_output=True, text=True)
        assert gate.returncode == 0, gate.stdout + gate.stderr


def a_killed_run_keeps_its_last_snapshot(folder):
    if len(CPUS) < 2:
        return "one CPU only"
    file = pathlib.Path(folder) / "r.json"
    run = start("-a", str(CPUS[-1]), "-D", "1h", "--json", str(file), "--snapshot", "200ms", "-q", *REST)
    samples = []
    while len(samples) < 3:
        wait_for(file.exists, "snapshot")
        _, phase = result_of(file)
        assert phase["status"] == "interrupted"
        count = phase["per_cpu"][0]["samples"] if phase["per_cpu"] else 0
        if count and count not in samples:
            samples.append(count)
        time.sleep(0.02)
    run.kill()
    run.communicate()
    _, phase = result_of(file)
    assert samples == sorted(samples) and phase["per_cpu"][0]["samples"] >= samples[-1]
    assert phase["per_cpu"][0]["outliers"], "a snapshot has outliers too"


def others_see_the_books_while_they_grow(folder):
    cpu = CPUS[-1]
    run = start("-a", str(cpu), "-d", "0", "-q", "--sensors", "--json", f"{folder}/r.json", *REST)

    def seen():
        done = subprocess.run([MAXLAT, "sensors", "get", "--json", f"maxlat#{run.pid}/npt-cpu{cpu}"], capture_output=True, text=True)
        return {each["name"]: each["value"] for each in json.loads(done.stdout)} if done.returncode == 0 else {}

    try:
        first = wait_for(lambda: seen() if seen().get("gaps", {}).get("count", 0) > 0 else None, "gaps in the sensor")
        later = wait_for(lambda: seen() if seen()["gaps"]["count"] > first["gaps"]["count"] else None, "more gaps in the sensor")
        assert later["longest"]["value"] > 0 and later["outliers"]["posts"] > 0, later
    finally:
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=60)
    _, phase = result_of(f"{folder}/r.json")
    assert phase["per_cpu"][0]["samples"] > later["gaps"]["count"], (phase["per_cpu"][0]["samples"], later["gaps"])
    assert seen() == {}, "the sensors end with the run"


def a_run_that_nobody_can_follow_says_so_and_goes_on(folder):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    run = start("-a", str(CPUS[-1]), "-l", "1000", "-q", "--sensors", "--json", f"{folder}/r.json", preexec_fn=small_files)
    run.communicate(timeout=60)
    assert run.returncode == 0, run.returncode
    _, phase = result_of(f"{folder}/r.json")
    assert phase["facts"]["sensors"].startswith("none: ") and any("nobody could follow the run" in w for w in phase["warnings"]), phase


def beside_a_hog(folder, *arguments):
    """A FIFO loop, and an ordinary thread that wants the same CPU."""
    cpu = CPUS[-1]
    hog = subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    try:
        run = start("-a", str(cpu), "-D", "5s", *arguments, "--json", f"{folder}/r.json", "-q")
        _, err = run.communicate(timeout=60)
    finally:
        hog.kill()
        hog.wait()
    return run, err, result_of(f"{folder}/r.json")[1]


def a_loop_rests_as_the_scheduler_demands(folder):
    run, err, phase = beside_a_hog(folder)
    assert run.returncode == 0 and phase["status"] == "ok", f"exit status {run.returncode}: {err}: {phase.get('reason')}"


a_loop_rests_as_the_scheduler_demands.known_answers = (TAKEN,)  # that it was stopped is what must not be


def a_loop_that_the_scheduler_stops_is_not_valid(folder):
    if pathlib.Path("/proc/sys/kernel/sched_rt_runtime_us").read_text().strip() == "-1":
        return "RT throttling is off"
    run, err, phase = beside_a_hog(folder, "--rest", "0")
    assert run.returncode == 3, f"exit status {run.returncode}: {err}: {phase['per_cpu'][0]['timeline']}"
    assert phase["status"] == "invalid" and "stopped the loop" in phase["reason"]
    assert "hint: " in err and "--rest" in err


def plant_while_measuring(folder, cpu):
    """(phase, [(begin after the phase's start, actual length)]) of stalls that fell into watched time."""
    run = start("-a", str(cpu), "-p", "50", "-D", "2500ms", "--json", f"{folder}/r.json", "-q", *REST)
    wait_for(lambda: threads_with(run.pid, FIFO, 50), "measuring thread")
    time.sleep(0.25)  # past its rest before the first sample
    control = subprocess.run([MAXLAT, "load", "control", "-a", str(cpu), "--stalls", "5ms", "--repeats", "3", "--spacing", "30ms"],
                             capture_output=True, text=True, timeout=30)
    out, err = run.communicate(timeout=60)
    assert control.returncode == 0 and run.returncode == 0, control.stderr + err
    _, phase = result_of(f"{folder}/r.json")
    start_ns = int(phase["facts"]["start_monotonic_ns"])
    rows = [list(map(int, line.split())) for line in control.stdout.splitlines() if not line.startswith("#")]
    assert len(rows) == 3, control.stdout
    stalls = [(begin - start_ns, actual) for _, _, actual, begin in rows]
    return phase, [(t, actual) for t, actual in stalls if 0 < t < 2.4e9 and t % 1e9 < 0.88e9]  # else: a rest


def a_planted_stall_is_found_where_and_when_it_was(folder):
    """The positive control: 5 ms by a higher-priority thread on the measured CPU, its length and time by its own reads."""
    slack_ns = 1e6  # CLOCK_MONOTONIC is steered, the counter is not
    for _ in range(5):  # on a busy machine the two may miss each other
        phase, stalls = plant_while_measuring(folder, CPUS[-1])
        if stalls:
            break
    assert stalls, "in five runs no stall fell into watched time"
    outliers = phase["per_cpu"][0]["outliers"]
    for t, actual in stalls:
        assert any(o["latency_ns"] >= actual and o["t_ns"] - o["latency_ns"] <= t + slack_ns and o["t_ns"] >= t + actual - slack_ns
                   for o in outliers), f"a stall of {actual} ns, {t} ns after the start, is not among {outliers}"


def without_permission_there_is_a_hint(folder):
    program = shutil.copy(MAXLAT, folder)
    os.chmod(folder, 0o755)

    def unprivileged(limit):
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (limit, limit))
        resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    def ended(*arguments, memlock=0):
        return subprocess.run([program, "npt", "-a", str(CPUS[0]), "-l", "1000", "-q", *arguments], capture_output=True,
                              text=True, preexec_fn=lambda: unprivileged(memlock), cwd="/", timeout=30)

    no_memory = ended()
    assert no_memory.returncode == 77 and re.match(r"maxlat npt: cannot lock memory.*\nhint: .*--no-mlock", no_memory.stderr), no_memory
    no_fifo = ended("--no-mlock")
    assert no_fifo.returncode == 77 and re.match(r"maxlat npt: cannot set SCHED_FIFO 99.*\nhint: .*--policy other", no_fifo.stderr), no_fifo
    neither = ended("--no-mlock", "--policy", "other")
    assert neither.returncode == 0 and "1000 loops done" in neither.stdout, neither


CHECKS = [affinity_and_policy_are_applied, two_cpus_have_their_own_books, an_interrupt_keeps_the_results,
          a_run_without_an_end_is_complete_when_a_signal_ends_it, a_killed_run_keeps_its_last_snapshot,
          others_see_the_books_while_they_grow, a_run_that_nobody_can_follow_says_so_and_goes_on,
          a_loop_rests_as_the_scheduler_demands, a_loop_that_the_scheduler_stops_is_not_valid, a_planted_stall_is_found_where_and_when_it_was,
          without_permission_there_is_a_hint]


if __name__ == "__main__":
    needs_root_and_fifo()
    sys.exit(run_checks(CHECKS, sys.argv[1:]))
