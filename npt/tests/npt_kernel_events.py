#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""npt_kernel_events.py [CHECK...]: who had the time of npt's largest gaps, against a task that takes it on purpose.

The program is $MAXLAT. tracefs is mounted for this process and its children alone; where that, or what npt needs, cannot be had,
it says why and exits 77.
"""
import ctypes
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from tap import MAXLAT, measuring, needs_root_and_fifo, run_checks

CPUS = sorted(os.sched_getaffinity(0))
CPU = CPUS[-1]
TRACING = pathlib.Path("/sys/kernel/tracing")
BURST_NS = 3_000_000
SETTINGS = ["-p", "60", "-i", "--rest", "100ms", "--kernel-events", "-q"]
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18


def mount_tracefs():
    libc = ctypes.CDLL(None, use_errno=True)
    def call(name, *arguments):
        if getattr(libc, name)(*arguments) != 0:
            print(f"{name}: {os.strerror(ctypes.get_errno())}: cannot run here")
            raise SystemExit(77)
    if (TRACING / "available_tracers").exists():
        return
    call("unshare", CLONE_NEWNS)
    call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    call("mount", b"tracefs", str(TRACING).encode(), b"tracefs", 0, None)


def npt(folder, cpus=(CPU,), may_end_with=(0,), more=("-v",)):
    """The phase of a run of two seconds, and its text."""
    run = subprocess.run([MAXLAT, "npt", "-a", ",".join(map(str, cpus)), *SETTINGS, *more, "-D", "2s", "--json", f"{folder}/r.json"],
                         capture_output=True, text=True)
    assert run.returncode in may_end_with, f"exit {run.returncode}: {run.stderr}"
    phase, = json.loads(pathlib.Path(f"{folder}/r.json").read_text())["phases"]
    return phase, run.stdout


def instances():
    return {path.name for path in (TRACING / "instances").iterdir() if path.name.startswith("maxlat-")}


def every_largest_gap_is_accounted_for(folder):
    before = instances()
    phase, text = npt(folder)
    assert phase["facts"]["kernel events"].startswith("recorded"), phase["facts"]["kernel events"]
    cpu, = phase["per_cpu"]
    assert len(cpu["outliers"]) == 20
    for outlier in cpu["outliers"]:
        parts = outlier.get("accounting")
        assert parts, f"no accounting: {outlier}"
        assert abs(sum(part["ns"] for part in parts) - outlier["latency_ns"]) < 0.1, f"the parts are not the whole: {outlier}"
    assert f"on CPU {CPU}: " in text, text
    of_cpu, = phase["interference"]
    rows = of_cpu["rows"]
    assert of_cpu["cpu"] == CPU and of_cpu["watched_ns"] >= cpu["exposure_s"] * 1e9, of_cpu
    assert abs(of_cpu["undisturbed_ns"] + sum(row["ns"] for row in rows) - of_cpu["watched_ns"]) < 1, f"it does not add up: {of_cpu}"
    ticks = sum(row["count"] for row in rows if row["class"] == "local timer")
    assert ticks > 0, f"two seconds without a timer: {rows}"
    assert f"CPU {CPU}: " in text[text.index("# What the kernel ran"):] and "local timer" in text, text
    left = {name for name in instances() - before if not pathlib.Path("/proc", name.rpartition("-")[2]).exists()}
    assert not left, f"left behind by who has ended: {left}"


def intruder(seconds):
    """A task of a higher priority on the measured CPU; yields when it had it, by CLOCK_MONOTONIC."""
    os.sched_setaffinity(0, {CPU})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(70))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic_ns()
        while time.monotonic_ns() < begin + BURST_NS:
            pass
        yield begin, time.monotonic_ns()
        time.sleep(0.05)


def start_intruder(seconds):
    read, write = os.pipe()
    pid = os.fork()
    if pid != 0:
        os.close(write)
        return pid, read
    bursts = list(intruder(seconds))
    os.write(write, json.dumps(bursts).encode())
    os._exit(0)


def who_takes_the_cpu_is_named(folder):
    pid, read = start_intruder(4)
    try:
        phase, _ = npt(folder, may_end_with=(0, 3))  # 3: another task had the CPU, and so it had
        bursts = json.loads(os.read(read, 1 << 20))
    finally:
        os.close(read)
        os.waitpid(pid, 0)
    start_ns = float(phase["facts"]["start_monotonic_ns"])
    planted = named = wrong = 0
    for outlier in phase["per_cpu"][0]["outliers"]:
        end_ns = start_ns + outlier["t_ns"]
        begin_ns = end_ns - outlier["latency_ns"]
        overlap_ns = sum(max(0, min(end_ns, end) - max(begin_ns, begin)) for begin, end in bursts)
        ours_ns = sum(part["ns"] for part in outlier["accounting"] if f"tid {pid}," in part.get("name", ""))
        if overlap_ns > outlier["latency_ns"] / 2:
            planted += 1
            named += ours_ns > outlier["latency_ns"] / 2
        elif overlap_ns == 0 and end_ns < bursts[-1][1]:  # behind that it writes them down and ends, and has the CPU, too
            wrong += ours_ns > 0
    assert planted >= 5, f"only {planted} of the largest gaps are the intruder's"
    assert named >= 0.95 * planted, f"{named} of {planted} are named"
    assert wrong == 0, f"{wrong} gaps have it that were not its own"
    inside = [end - begin for begin, end in bursts if begin >= start_ns and end <= start_ns + phase["duration_s"] * 1e9]
    name = pathlib.Path("/proc/self/comm").read_text().strip()
    row, = (row for row in phase["interference"][0]["rows"] if row["class"] == "task" and row["name"] == name)
    assert row["count"] >= len(inside) >= 5, f"{row} of {len(inside)}"
    assert row["ns"] >= 0.9 * sum(inside), f"{row} of {sum(inside)} ns: only what interrupts the intruder is not its own"


def toggle_an_event(event):
    """Has the kernel patch itself, for which it interrupts all CPUs. For good: it is to be killed."""
    os.sched_setaffinity(0, {CPUS[0]})
    while True:
        for value in "10":
            event.write_text(value)
        time.sleep(0.01)


def who_sends_an_interrupt_is_named(folder):
    if not (TRACING / "events/ipi/ipi_send_cpu").exists() and not (TRACING / "kprobe_events").exists():
        phase, _ = npt(folder)
        assert "the sender of an interrupt is not told by this kernel" in phase["facts"]["kernel events"], phase["facts"]
        return
    mine = TRACING / "instances" / f"npt-test-{os.getpid()}"
    mine.mkdir()
    pid = os.fork()
    if pid == 0:
        toggle_an_event(mine / "events/oom/oom_score_adj_update/enable")
    try:
        phase, _ = npt(folder, more=("--outliers", "2000"))
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        mine.rmdir()
    assert not re.search("not told|not recorded", phase["facts"]["kernel events"]), phase["facts"]
    calls = [part for outlier in phase["per_cpu"][0]["outliers"] for part in outlier.get("accounting", ())
             if part["class"] == "ipi" and part["name"] == "call function"]
    name = pathlib.Path("/proc/self/comm").read_text().strip()
    of_its_own = [part for part in calls if part.get("sent_by", "").startswith(f"CPU {CPUS[0]}, task {name} (tid {pid}), in ")]
    assert of_its_own, f"none of these calls is named as its own: {calls}"


def what_a_killed_run_leaves_is_removed_by_the_next(folder):
    killed = subprocess.Popen([MAXLAT, "npt", "-a", str(CPU), *SETTINGS, "-D", "60s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    measuring(killed)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    made = {f"maxlat-kernel-{killed.pid}", f"maxlat-elsewhere-{killed.pid}"}
    assert made <= instances(), "it made no instance"
    npt(folder)
    assert not made & instances(), "it is still there"


def without_a_cpu_for_the_reader_it_says_so(folder):
    phase, text = npt(folder, cpus=CPUS)
    assert phase["facts"]["kernel events"].startswith("not recorded: every CPU is measured"), phase["facts"]
    assert text.count("# Kernel events: not recorded: every CPU is measured") == 1, text
    assert all("accounting" not in outlier for outlier in phase["per_cpu"][0]["outliers"])


def a_gap_above_the_limit_ends_the_users_trace(folder):
    mine = TRACING / "instances" / f"npt-test-{os.getpid()}"
    mine.mkdir()
    try:
        (mine / "trace_clock").write_text("x86-tsc")
        before = (TRACING / "tracing_on").read_text()
        def marked():
            return subprocess.run([MAXLAT, "npt", "-a", str(CPU), "-p", "60", "-i", "-q", "-D", "5s", "-b", "0.001", f"--tracemark={mine.name}"],
                                  capture_output=True, text=True)
        run = marked()
        assert run.returncode == 2, run
        assert f"# Trace mark: in {mine}, where tracing was stopped" in run.stdout, run.stdout
        assert (mine / "tracing_on").read_text().strip() == "0"
        assert (TRACING / "tracing_on").read_text() == before, "it is not the trace that was named"
        mark, = re.findall(r"(\d+): tracing_mark_write: maxlat npt: a gap of (\d+) ns, above 1 ns, on CPU (\d+); it ended at (\d+) of the "
                           r"time-stamp counter", (mine / "trace").read_text())
        stamp, gap_ns, cpu, end = map(int, mark)
        assert gap_ns > 1 and cpu == CPU, mark
        assert stamp > end, f"the mark is behind the gap, on the same time line: {mark}"
        again = marked()
        assert again.returncode == 2 and "its tracing_on was 0 already" in again.stdout, again
    finally:
        mine.rmdir()
    missing = marked()
    assert missing.returncode == 1 and missing.stderr.startswith(f"maxlat npt: there is no trace instance '{mine.name}'\nhint: "), missing
    assert missing.stdout == "", "it is told before anything is measured"


def main():
    needs_root_and_fifo()
    mount_tracefs()
    if len(CPUS) < 2 or "x86-tsc" not in (TRACING / "trace_clock").read_text():
        print("needs a second CPU, and a kernel whose trace has the clock x86-tsc")
        return 77
    return run_checks([every_largest_gap_is_accounted_for, who_takes_the_cpu_is_named, who_sends_an_interrupt_is_named,
                       what_a_killed_run_leaves_is_removed_by_the_next, without_a_cpu_for_the_reader_it_says_so,
                       a_gap_above_the_limit_ends_the_users_trace], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
