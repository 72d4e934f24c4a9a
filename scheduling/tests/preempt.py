#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""preempt.py: maxlat preempt with real threads. Facts, no times: each round is counted once, a higher priority preempts, an
equal SCHED_FIFO does not, one that does not though it must is called broken, one on another CPU is not; who had the time of the
largest delays; ^C keeps what was measured; without rights it says so."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

MAXLAT = os.environ["MAXLAT"]
ROUNDS = 20
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def expect(what, holds):
    print(f"{'ok' if holds else 'not ok'} - {what}")
    if not holds:
        expect.failed += 1


expect.failed = 0


def preempt(*words, **options):
    return subprocess.run([MAXLAT, "preempt", *map(str, words)], capture_output=True, text=True, timeout=200, **options)


def phase_of(file):
    (phase,) = json.loads(file.read_text())["phases"]
    return phase


def whole_test(file, cpus):
    ended = preempt("-a", ",".join(map(str, cpus)), "-l", ROUNDS, "-v", "--json", file)
    print(ended.stdout)
    # On a busy machine SCHED_IDLE and SCHED_BATCH may never have the CPU at the right moment: not valid, but never broken.
    expect(f"exit status 0, or 3 for want of an idle CPU ({ended.returncode}: {ended.stderr.strip()})",
           ended.returncode == 0 or (ended.returncode == 3 and re.search(r"over SCHED_(IDLE|BATCH|OTHER): in none of", ended.stderr)))
    expect("each CPU has its table and its line", all(re.search(rf"^CPU {cpu}:\n  running +woken .*(\n  .*){{56}}\n", ended.stdout, re.M)
                                                      and f"CPU {cpu}: those that must preempt took " in ended.stdout for cpu in cpus))
    phase = phase_of(file)
    pairs = {(pair["cpu"], pair["running"], pair["woken"]): pair for pair in phase["pairs"]}
    expect("every pair once on every CPU", len(pairs) == len(phase["pairs"]) == 56 * len(cpus))
    rounds = [pair for pair in phase["pairs"] if "refused" not in pair]
    expect("each round is counted once", all(p["preempted"] + p["waited"] + p["untold"] == p["rounds"] for p in rounds))
    expect("there are as many as asked for", all(p["rounds"] >= ROUNDS for p in rounds if re.match(r"SCHED_(FIFO|RR)", p["running"])))
    samples = {cpu["cpu"]: cpu["samples"] for cpu in phase["per_cpu"]}
    for cpu in cpus:
        higher, equal = pairs[cpu, "SCHED_FIFO 94", "SCHED_FIFO 95"], pairs[cpu, "SCHED_FIFO 95", "SCHED_FIFO 95"]
        lower = pairs[cpu, "SCHED_FIFO 95", "SCHED_OTHER"]
        expect(f"CPU {cpu}: a higher SCHED_FIFO preempts", higher["preempted"] > 0 and higher["waited"] == 0)
        expect(f"CPU {cpu}: an equal one does not", equal["preempted"] == 0 and equal["waited"] > 0)
        expect(f"CPU {cpu}: SCHED_OTHER does not preempt SCHED_FIFO", lower["preempted"] == 0 and lower["waited"] > 0)
        expect(f"CPU {cpu}: the samples are those of the pairs that must preempt",
               samples[cpu] == sum(p["preempted"] for p in rounds if p["cpu"] == cpu and p["preempts"] == "must"))
    expect("refused is only SCHED_DEADLINE",
           all(p["woken"].startswith("SCHED_DEADLINE") for p in phase["pairs"] if "refused" in p))


def named(file, cpu):
    """The lists of the largest delays add up, and neither thread of a pair is in them. Where no event can be had one line says why."""
    ended = preempt("-a", cpu, "-l", ROUNDS, "--kernel-events", "--json", file)
    phase = phase_of(file)
    told = phase["facts"]["kernel events"]
    expect(f"who records the kernel's events, or why nobody does, is told ({told})",
           re.match(r"recorded by (module|tracefs)|not recorded: .", told) and f"Kernel events {told}\n" in ended.stdout)
    if not told.startswith("recorded"):
        return
    around = phase["facts"]["around"]
    expect(f"how long the thread's own way may take is told ({around})", "; beside a task switch at most " in around)
    expect("the largest delay is told with its pair and its names",
           re.search(r"^The largest delay:\n .* after the start.*, SCHED_\w+.* over SCHED_.*\n {12}\S", ended.stdout, re.M))
    delays = [outlier for outlier in phase["per_cpu"][0]["outliers"] if outlier["latency_ns"] > 0]
    lists = [outlier.get("accounting", []) for outlier in delays]
    expect("each of the largest has its list", all(lists) or any("came faster than they were read" in w for w in phase["warnings"]))
    expect("whose parts add up", all(abs(sum(part["ns"] for part in parts) - delay["latency_ns"]) < 1
                                     for delay, parts in zip(delays, lists) if parts))
    timers = sum(any(part["class"] in ("local timer", "hrtimer") for part in parts) for parts in lists)
    expect(f"most have the interrupt of the timer ({timers} of {len(lists)})", timers > len(lists) / 2)
    if len(os.sched_getaffinity(0)) > 1:  # else the reader of the events is here, too
        ours = [part for parts in lists for part in parts if part["class"] == "task" and part["name"].startswith("maxlat (tid ")]
        expect(f"neither thread of a pair took it ({ours})", not ours)


def stopped(file, cpu):
    running = subprocess.Popen([MAXLAT, "preempt", "-a", str(cpu), "-D", "1h", "--snapshot", "1ms", "--json", file],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # -D gives each pair a minute, so this is within the first: its threads are there.
    while len(os.listdir(f"/proc/{running.pid}/task")) < 3 and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    expect(f"^C ends it normally ({running.returncode}: {errors.strip().splitlines()[-1:]})", running.returncode == 0)
    expect("what there was is kept, as interrupted",
           phase_of(file)["status"] == "interrupted" and re.search(r"^interrupted: ", output, re.M))
    expect("no pair is called broken by it", "Broken" not in output)


def printed(cpu):
    ended = preempt("-a", cpu, "-l", 1, "-p", 50)
    expect("--priority is the higher one's, and without -v the table has what must preempt",
           re.search(r"^  SCHED_FIFO 49 +SCHED_FIFO 50 +must ", ended.stdout, re.M) and "SCHED_BATCH    SCHED_IDLE" not in ended.stdout)
    expect("--quiet prints nothing", preempt("-a", cpu, "-l", 1, "-q").stdout == "")
    ended = preempt("-a", cpu, "-l", 1, "--json", "-")
    expect("with the result on standard output there is nothing else", len(json.loads(ended.stdout)["phases"][0]["pairs"]) == 56)
    with open("/dev/full", "w") as full:
        ended = subprocess.run([MAXLAT, "preempt", "-a", str(cpu), "-l", "1"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=200)
    expect("text that cannot be printed is told", "cannot write standard output" in ended.stderr and ended.returncode in (1, 3))


def without_rights():
    ended = preempt("-a", "0", **NOBODY)
    expect(f"without rights: 77 and what to do ({ended.returncode}: {ended.stderr.strip()})",
           ended.returncode == 77 and re.fullmatch(r"maxlat preempt: preemption needs real-time policies: [^\n]+\nhint: [^\n]+\n",
                                                   ended.stderr))


def meddled_with(file, cpu, meddle):
    """`meddle(thread)` on each of our real-time threads that measures, as fast as they come."""
    running = subprocess.Popen([MAXLAT, "preempt", "-a", str(cpu), "-l", "30", "--json", file], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    while running.poll() is None:
        for task in pathlib.Path(f"/proc/{running.pid}/task").iterdir():
            thread = int(task.name)
            try:
                real_time = os.sched_getscheduler(thread) in (os.SCHED_FIFO, os.SCHED_RR)
                # One that has slept so often has been through some rounds, and looks neither at its affinity nor at its policy.
                slept = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.M)[1])
                if real_time and slept > 6:
                    meddle(thread)
            except OSError:  # it has ended
                pass
    return running.returncode, *running.communicate(timeout=60)


def made_equal(file, cpu):
    """Both have the same priority, whatever the pair says: then the woken one waits."""
    status, output, errors = meddled_with(file, cpu, lambda thread: os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(96)))
    expect(f"an equal one does not preempt: exit status 2 ({status}: {errors.strip().splitlines()[-1:]})", status == 2)
    expect("the pair is named",
           re.search(rf"^Broken: CPU {cpu}: SCHED_\w+ 9[45] over SCHED_.*: must preempt, and did not in 1 of ", output, re.M))
    judged = subprocess.run([MAXLAT, "gate", file, "--max", "1h"], capture_output=True, text=True, timeout=60)
    expect(f"the gate fails it, too ({judged.returncode})",
           judged.returncode == 2 and re.search(rf"^preempt: preemption .*CPU {cpu}: SCHED_.* fail$", judged.stdout, re.M))


def moved_away(file, cpu, other):
    """On two CPUs nothing preempts, which is no verdict about the kernel."""
    status, output, errors = meddled_with(file, cpu, lambda thread: os.sched_setaffinity(thread, {other}))
    expect(f"a thread that was moved makes it not valid ({status}: {errors.strip().splitlines()[-1:]})",
           status == 3 and f"the thread on CPU {cpu} was moved to another" in errors and "Broken" not in output)
    expect("what was measured before is kept", len(phase_of(file)["pairs"]) > 1)


def kept_by_a_hog(file, cpu):
    """A hog above our threads: no verdict about pairs, but who it is, whom it starves, and an end that keeps what was measured."""
    running = subprocess.Popen([MAXLAT, "preempt", "-a", str(cpu), "-l", "200", "--snapshot", "1ms", "--json", file],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and not (file.exists() and len(phase_of(file).get("pairs", [])) > 10):
        time.sleep(0.01)
    hog = subprocess.Popen(["chrt", "-f", "99", "taskset", "-c", str(cpu), sys.executable, "-c", "while True: pass"])
    try:
        output, errors = running.communicate(timeout=200)
    finally:
        hog.kill()
        hog.wait()
    expect(f"a hog that keeps the CPU is named, and nothing called broken ({running.returncode}: {errors.strip()})",
           running.returncode in (0, 3) and "Broken" not in output and
           (running.returncode == 0 or re.search(r"(python3\S* \(pid \d+, SCHED_FIFO 99\) keeps|in none of)", errors)))
    if "got no CPU" not in errors:
        return
    phase = phase_of(file)
    expect(f"and which thread got no CPU ({phase['reason']})",
           phase["status"] == "invalid" and re.search(r": the SCHED_(FIFO|RR|DEADLINE) .* thread got no CPU, .* keeps", phase["reason"]))
    expect(f"what was measured before is kept, and printed ({len(phase['pairs'])} pairs)",
           len(phase["pairs"]) > 10 and phase["per_cpu"][0]["samples"] > 0 and
           re.search(rf"^CPU {cpu}:\n  running +woken .*\n  SCHED_", output, re.M) and "those that must preempt took " in output)


def main():
    if os.geteuid() != 0 or subprocess.run(["chrt", "-f", "95", "true"], capture_output=True).returncode != 0:
        print("needs root and SCHED_FIFO")
        return 77
    cpus = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        whole_test(pathlib.Path(folder) / "whole.json", cpus[-2:])
        named(pathlib.Path(folder) / "named.json", cpus[-1])
        stopped(pathlib.Path(folder) / "stopped.json", cpus[-1])
    printed(cpus[-1])
    without_rights()
    if len(cpus) > 1:
        with tempfile.TemporaryDirectory() as folder:
            made_equal(pathlib.Path(folder) / "equal.json", cpus[-1])
            moved_away(pathlib.Path(folder) / "moved.json", cpus[-1], cpus[0])
            kept_by_a_hog(pathlib.Path(folder) / "kept.json", cpus[-1])
    return 1 if expect.failed else 0


if __name__ == "__main__":
    sys.exit(main())
