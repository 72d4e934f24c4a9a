#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cyclic.py: maxlat cyclic with real threads, beside cyclictest. Facts, no times: books that add up, a planted stall that both
find, a limit, ^C, a CPU that somebody keeps, no rights."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MAXLAT = os.environ["MAXLAT"]
INTERVAL_NS = 1_000_000
STALL_NS = 30_000_000
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
# Holds the CPU for so many ns after what it sleeps, and prints for how long it did.
HOG = """import sys, time
time.sleep(0.3)
begin = time.monotonic_ns()
while time.monotonic_ns() < begin + int(sys.argv[1]):
    pass
print(time.monotonic_ns() - begin)"""


def expect(what, holds):
    print(f"{'ok' if holds else 'not ok'} - {what}")
    if not holds:
        expect.failed += 1


expect.failed = 0


def command(*words):
    return [MAXLAT, "cyclic", *map(str, words)]


def cyclic(*words, **options):
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=200, **options)


def phase_of(file):
    (phase,) = json.loads(file.read_text())["phases"]
    return phase


def missed_in(phase):
    told = phase["facts"]["missed cycles"]
    return 0 if told == "none" else int(told.split()[0])


def under_way(pid, wakeups):
    """Some thread of it has slept that often."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.M)[1]) >= wakeups:
                return True
        except OSError:
            pass
    return False


def wait_until_under_way(running):
    while running.poll() is None and not under_way(running.pid, 30):
        time.sleep(0.01)


def books(file, cpus, timer):
    ended = cyclic("-a", ",".join(map(str, cpus)), "-l", 300, "--timer", timer, "--json", file)
    expect(f"{timer}: exit status 0 ({ended.returncode}: {ended.stderr.strip()})", ended.returncode == 0)
    phase = phase_of(file)
    expect(f"{timer}: a row for each CPU",
           all(re.search(rf"^  {cpu} +300 .* \S+ [nums]+$", ended.stdout, re.M) for cpu in cpus))
    for cpu in phase["per_cpu"]:
        expect(f"{timer}: CPU {cpu['cpu']} has as many wake-ups as asked for, and bins for all of them",
               cpu["samples"] == 300 == sum(b[2] for b in cpu["histogram"]["bins"]) + cpu["histogram"].get("overflow_count", 0))
    cycles = sum(round(cpu["exposure_s"] * 1e9) - cpu["max_ns"] for cpu in phase["per_cpu"]) / INTERVAL_NS
    taken = sum(cpu["samples"] - 1 for cpu in phase["per_cpu"]) + missed_in(phase)
    spare = sum(cpu["max_ns"] for cpu in phase["per_cpu"]) / INTERVAL_NS
    expect(f"{timer}: wake-ups and missed cycles are the time that was watched ({taken}; {cycles:.3f} + {spare:.3f})",
           cycles <= taken <= cycles + spare)


def side_by_side(folder, cpu):
    """Both on one CPU, and a hog above both: no sample of either may be shorter than what of the stall fell behind its due time."""
    if not shutil.which("cyclictest"):
        print("cyclictest is not installed: maxlat cyclic alone")
    ours, theirs = folder / "ours.json", folder / "theirs.json"
    running = [subprocess.Popen(command("-a", cpu, "-D", "1h", "-p", 80, "--json", ours), stdout=subprocess.PIPE, stderr=subprocess.PIPE)]
    if shutil.which("cyclictest"):
        running.append(subprocess.Popen(["cyclictest", "-m", "-p81", "-i1000", "-a", str(cpu), "-t1", "-h", "100000", "-q",
                                         f"--json={theirs}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    for meter in running:
        wait_until_under_way(meter)
    hog = subprocess.run(["chrt", "-f", "99", "taskset", "-c", str(cpu), sys.executable, "-c", HOG, str(STALL_NS)],
                         capture_output=True, text=True)
    held_ns = int(hog.stdout)
    for meter in running:
        meter.send_signal(signal.SIGINT)
        meter.communicate(timeout=60)
    phase = phase_of(ours)
    largest = phase["per_cpu"][0]["max_ns"]
    expect(f"the stall of {held_ns / 1e6:.1f} ms is in the largest ({largest / 1e6:.1f} ms)", largest >= held_ns - INTERVAL_NS)
    expect("and has its time among the latest", phase["per_cpu"][0]["outliers"][0]["latency_ns"] == largest)
    expect(f"the cycles that it took are missed ({missed_in(phase)})", missed_in(phase) >= (held_ns - INTERVAL_NS) // INTERVAL_NS)
    expect("^C keeps what there was, as interrupted", phase["status"] == "interrupted")
    if len(running) == 2:
        (thread,) = json.loads(theirs.read_text())["thread"].values()
        expect(f"cyclictest beside it found it, too ({thread['max']} us)", thread["max"] * 1000 >= held_ns - INTERVAL_NS)


def named(file, cpu):
    """A hog above the meter has the time of the latest wake-up, and the list of it adds up. Without tracefs one line says why."""
    running = subprocess.Popen(command("-a", cpu, "-D", "1h", "-p", 80, "--kernel-events", "--json", file), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    wait_until_under_way(running)
    hog = subprocess.Popen(["chrt", "-f", "90", "taskset", "-c", str(cpu), sys.executable, "-c", HOG, str(STALL_NS)],
                           stdout=subprocess.PIPE, text=True)
    held_ns = int(hog.communicate()[0])
    running.send_signal(signal.SIGINT)
    output, _ = running.communicate(timeout=60)
    phase = phase_of(file)
    told = phase["facts"]["kernel events"]
    if not told.startswith("recorded"):
        expect(f"why the kernel's events are not recorded is told ({told})", told.startswith("not recorded: "))
        return
    around = phase["facts"]["around"]
    expect(f"how long the thread's own way may take is told ({around})", "; beside a task switch at most " in around)
    expect("the latest is told with its names", re.search(r"^The latest wake-up:\n .*\n +\S", output, re.M))
    latest = phase["per_cpu"][0]["outliers"][0]
    parts = latest["accounting"]
    expect(f"the parts add up ({latest['latency_ns']})", abs(sum(part["ns"] for part in parts) - latest["latency_ns"]) < 1)
    of_cpu, = phase["interference"]
    rows = of_cpu["rows"]
    total = of_cpu["undisturbed_ns"] + sum(row["ns"] for row in rows)
    expect(f"the table of the whole run adds up ({total} of {of_cpu['watched_ns']} ns)", abs(total - of_cpu["watched_ns"]) < 1)
    # chrt becomes taskset, and that the hog: one thread, and the events have the name that it had when it came.
    names = ("chrt", "taskset", "python")
    hog_ns = sum(row["ns"] for row in rows if row["class"] == "task" and row.get("name", "").startswith(names))
    expect(f"the hog is in it ({hog_ns / 1e6:.1f} ms), and the idle task is not",
           hog_ns >= held_ns * 0.9 and not any(row.get("name") == "idle" for row in rows))
    hogs = sum(part["ns"] for part in parts if f"(tid {hog.pid}, " in part.get("name", ""))
    expect(f"the hog has most of it: {hogs / 1e6:.1f} of {latest['latency_ns'] / 1e6:.1f} ms, of which it spun for {held_ns / 1e6:.1f}",
           latest["latency_ns"] / 2 < hogs)


def limits(file, cpu):
    ended = cyclic("-a", cpu, "-b", "1ns", "--json", file)
    expect(f"a wake-up above --break ends it with 2 and is named ({ended.returncode}: {ended.stderr.strip()})",
           ended.returncode == 2 and re.search(r"a wake-up \S+ [num]*s late on CPU \d+, \S+ s after the start: above the limit", ended.stderr))
    verdict = json.loads(file.read_text())["verdict"]
    expect(f"and the result says the same ({verdict})", verdict["result"] == "fail" and "above the limit of 1" in verdict["reasons"][0])
    expect("its sample is kept", phase_of(file)["per_cpu"][0]["samples"] == 1)
    quiet = cyclic("-a", cpu, "-l", 5, "-q")
    expect("--quiet prints the summary at the end, as cyclictest's, and nothing else", quiet.stderr == "" and
           quiet.stdout.split()[:2] == ["CPU", "wake-ups"] and len(quiet.stdout.splitlines()) >= 2)
    expect("with the result on standard output there is nothing else",
           json.loads(cyclic("-a", cpu, "-l", 5, "--json", "-").stdout)["phases"][0]["kind"] == "cyclic")


def marked(cpu):
    """The user's own trace ends with the wake-up above the limit. Without tracefs one line says so before anything is measured."""
    instances = pathlib.Path("/sys/kernel/tracing/instances")
    mine = instances / f"cyclic-test-{os.getpid()}"
    try:
        mine.mkdir()
    except OSError as why:
        ended = cyclic("-a", cpu, "-b", "1ns", "--tracemark")
        expect(f"no trace to mark ({why}) is told: {ended.stderr.strip()}", ended.returncode == 77 and "tracefs" in ended.stderr)
        return
    try:
        ended = cyclic("-a", cpu, "-b", "1ns", f"--tracemark={mine.name}")
        expect(f"the mark is told ({ended.returncode})", ended.returncode == 2 and f"trace mark in {mine}, where" in ended.stdout)
        expect("the trace is stopped", (mine / "tracing_on").read_text().strip() == "0")
        expect("and ends with the mark", re.search(r"tracing_mark_write: maxlat cyclic: a wake-up \d+ ns late, above 1 ns, on CPU "
                                                   rf"{cpu}; it was at \d+ ns of CLOCK_MONOTONIC", (mine / "trace").read_text()))
    finally:
        mine.rmdir()


def without_an_end(file, cpu):
    running = subprocess.Popen(command("-a", cpu, "--json", file), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until_under_way(running)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    expect(f"without a planned end ^C is the end, and the result ok ({running.returncode}: {errors.strip()})",
           running.returncode == 0 and phase_of(file)["status"] == "ok" and "a signal" in phase_of(file)["facts"]["stopped by"])


def kept_by_a_hog(cpu):
    hog = subprocess.Popen(["chrt", "-f", "99", "taskset", "-c", str(cpu), sys.executable, "-c", "while True: pass"])
    try:
        while not os.sched_getaffinity(hog.pid) == {cpu} or "python" not in pathlib.Path(f"/proc/{hog.pid}/comm").read_text():
            time.sleep(0.01)
        ended = cyclic("-a", cpu, "-D", "1s")
        expect(f"whoever keeps the CPU is named, and nothing valid ({ended.returncode}: {ended.stderr.strip()})",
               ended.returncode == 3 and re.search(r"python3\S* \(pid \d+, SCHED_FIFO 99\) kept CPU", ended.stderr))
    finally:
        hog.kill()
        hog.wait()


def without_rights():
    ended = cyclic("-a", "0", "-l", 1, **NOBODY)
    expect(f"without rights: 77 and what to do ({ended.returncode}: {ended.stderr.strip()})",
           ended.returncode == 77 and re.fullmatch(r"maxlat cyclic: [^\n]*SCHED_FIFO 95[^\n]*\nhint: [^\n]+\n", ended.stderr))


def main():
    if os.geteuid() != 0 or subprocess.run(["chrt", "-f", "95", "true"], capture_output=True).returncode != 0:
        print("needs root and SCHED_FIFO")
        return 77
    if "--with-tracefs" not in sys.argv:  # mounted for this test alone, where this kernel has it
        os.execvp("unshare", ["unshare", "--mount", "sh", "-c", 'mount -t tracefs none /sys/kernel/tracing 2> /dev/null; exec "$@"', "sh",
                              sys.executable, __file__, "--with-tracefs"])
    cpus = sorted(os.sched_getaffinity(0))[-2:]
    with tempfile.TemporaryDirectory(prefix="maxlat-cyclic-") as name:
        folder = pathlib.Path(name)
        for timer in ("nanosleep", "timerfd"):
            books(folder / f"{timer}.json", cpus, timer)
        side_by_side(folder, cpus[-1])
        named(folder / "named.json", cpus[-1])
        limits(folder / "limit.json", cpus[-1])
        marked(cpus[-1])
        without_an_end(folder / "end.json", cpus[-1])
        kept_by_a_hog(cpus[-1])
        without_rights()
    return 1 if expect.failed else 0


if __name__ == "__main__":
    sys.exit(main())
