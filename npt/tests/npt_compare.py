#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""npt_compare.py [CHECK...]: maxlat npt --compare from outside, with the control arms whose answer is known.

The program is $MAXLAT. Needs no privilege: the loops run as ordinary threads, which the planted delays outweigh by far. No
check passes or fails by how fast this machine is.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys

from tap import MAXLAT, run_checks, wait_for

CPUS = sorted(os.sched_getaffinity(0))
ORDINARY = ["--policy", "other", "--no-mlock"]


def start(folder, arms, *arguments, cpus=CPUS[-1:], json_file=None, **kwargs):
    return subprocess.Popen([MAXLAT, "npt", "--compare", arms, "--json", json_file or f"{folder}/r.json", *ORDINARY,
                             "-a", ",".join(map(str, cpus)), *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)


def compared(folder, arms, *arguments, status=0, **kwargs):
    run = start(folder, arms, "-q", *arguments, **kwargs)
    out, err = run.communicate(timeout=120)
    assert run.returncode == status, f"exit status {run.returncode}: {err}"
    return json.loads(pathlib.Path(folder, "r.json").read_text()), out


def order_of(run):
    """{(round, place): arm}"""
    return {(r["round"], r["order"]): p["arm"] for p in run["phases"] for r in p["rounds"]}


def measure(comparison, name):
    return next(m for m in comparison["measures"] if m["measure"] == name)


def children_of(pid):
    """The measuring processes, without the guards that die with them."""
    try:
        return {int(c) for task in pathlib.Path(f"/proc/{pid}/task").iterdir() for c in (task / "children").read_text().split()}
    except (FileNotFoundError, ProcessLookupError):
        return set()


def same_seed_same_order(folder):
    arms = "none,delay:0ns,delay:1us"
    once, _ = compared(folder, arms, "--rounds", "4", "-D", "10ms", "--seed", "5")
    again, _ = compared(folder, arms, "--rounds", "4", "-D", "10ms", "--seed", "5")
    other, _ = compared(folder, arms, "--rounds", "4", "-D", "10ms", "--seed", "6")
    assert order_of(once) == order_of(again), "the same seed gave another order"
    assert order_of(once) != order_of(other), "another seed gave the same order"
    assert len(order_of(once)) == 4 * 4 and once["run"]["seed"] == 5
    for phase in once["phases"]:
        assert sum(r["samples"] for r in phase["rounds"]) == phase["per_cpu"][0]["samples"]


def planted_delays_are_found_and_named(folder):
    """1 us in every event is in the mean and in the median; 2 ms in one of 1000 events is in the tail, not in the median."""
    run, out = compared(folder, "none,delay:1us,delay:2ms/1000", "--rounds", "8", "-D", "100ms", "--seed", "1")
    every, rare = run["comparisons"]
    assert every["arm"] == "delay:1us" and rare["arm"] == "delay:2ms/1000"
    for name in ("mean", "p50"):
        assert measure(every, name)["verdict"] == "different" and measure(every, name)["difference_ns"] >= 950, every
    assert "delay:1us adds " in out and "at the median" in every["verdict"], out
    assert measure(rare, "p99.99")["verdict"] == "different" and measure(rare, "p99.99")["difference_ns"] >= 1.9e6, rare
    assert measure(rare, "p50")["verdict"] == "same" and "at the median" not in rare["verdict"], rare


def an_arm_does_not_differ_from_itself(folder):
    """One comparison in twenty may say so by construction; two in a row with other seeds are a defect."""
    for seed in ("1", "2"):
        run, _ = compared(folder, "none,none", "--rounds", "8", "-D", "50ms", "--seed", seed)
        comparison, = run["comparisons"]
        if comparison["verdict"].startswith("no difference"):
            return
    raise AssertionError(comparison["verdict"])


def interrupted(folder, cpus):
    run = start(folder, "none,delay:0ns", "--rounds", "500", "-D", "30ms", "-q",
                preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    seen = set()
    wait_for(lambda: seen.update(children_of(run.pid)) or len(seen) >= 20, "third round", 60)  # each has a guard
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 0, err
    result = json.loads(pathlib.Path(folder, "r.json").read_text())
    assert result["run"]["status"] == "interrupted"
    rounds = {tuple(r["round"] for r in phase["rounds"]) for phase in result["phases"]}
    assert len(rounds) == 1, f"the arms have different rounds: {rounds}"
    assert 1 <= len(rounds.pop()) < 500
    assert all(p["status"] == "interrupted" and "of 500 rounds" in p["reason"] for p in result["phases"])


def an_interrupt_keeps_the_complete_rounds(folder):
    interrupted(folder, set(CPUS))


def an_interrupt_is_heard_on_one_cpu(folder):
    interrupted(folder, {CPUS[-1]})


def a_killed_comparison_leaves_no_process(folder):
    run = start(folder, "none,delay:0ns", "-D", "60s", "-q")
    children = wait_for(lambda: children_of(run.pid), "child", 60)
    run.kill()
    run.communicate()
    wait_for(lambda: not any(pathlib.Path(f"/proc/{pid}").exists() for pid in children), "end of the children", 60)


def one_cpu_is_enough(folder):
    run, _ = compared(folder, "none,delay:1us", "--rounds", "2", "-D", "50ms",
                      preexec_fn=lambda: os.sched_setaffinity(0, {CPUS[-1]}))
    assert all(p["status"] == "ok" and p["per_cpu"][0]["cpu"] == CPUS[-1] for p in run["phases"])


def two_cpus_are_one_too_many(folder):
    if len(CPUS) < 2:
        return "one CPU only"
    run = start(folder, "none,delay:0ns", cpus=CPUS[:2])
    out, err = run.communicate(timeout=60)
    assert run.returncode == 1 and "arms are compared on one" in err and "hint: " in err, (run.returncode, err)


def a_full_disk_is_told_after_the_table(folder):
    run = start(folder, "none,delay:0ns", "--rounds", "1", "-D", "10ms", "-q", json_file="/dev/full")
    out, err = run.communicate(timeout=60)
    assert run.returncode == 1 and "no space left" in err and "variance (us2)" in out, (run.returncode, out, err)


CHECKS = [same_seed_same_order, planted_delays_are_found_and_named, an_arm_does_not_differ_from_itself,
          an_interrupt_keeps_the_complete_rounds, an_interrupt_is_heard_on_one_cpu, a_killed_comparison_leaves_no_process, one_cpu_is_enough,
          two_cpus_are_one_too_many, a_full_disk_is_told_after_the_table]


if __name__ == "__main__":
    sys.exit(run_checks(CHECKS, sys.argv[1:]))
