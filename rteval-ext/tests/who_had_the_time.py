# SPDX-License-Identifier: MIT
"""What a run says of who had the time of its largest samples: in its result, on its screen and in its report."""
import os
import re
import subprocess

# A run records by tracefs also where nobody has mounted it.
CAN_RECORD = ("unshare", "--mount", "sh", "-c", "mount -t tracefs none /sys/kernel/tracing 2> /dev/null; "
              "grep -q x86-tsc /sys/kernel/tracing/trace_clock")
NOBODYS = ("around", "before the history")


def can_be_recorded():
    if os.readlink("/proc/self/ns/pid") != "pid:[4026531836]" or len(os.sched_getaffinity(0)) < 2:
        return False
    return subprocess.run(CAN_RECORD, stderr=subprocess.DEVNULL).returncode == 0


def is_recorded(measured):
    told = measured["facts"]["kernel events"]
    assert re.match("recorded by .|not recorded: .", told), told
    print(f"{measured['name']}: {told}")
    recorded = told.startswith("recorded")
    assert recorded or "counter" in told or not can_be_recorded(), told
    return recorded


def check_culprit(sample):
    """Of an outlier, or of a late wake-up: the part with more than half of it, or nobody."""
    most = [part for part in sample["accounting"] if part["ns"] > sample["latency_ns"] / 2 and part["class"] not in NOBODYS
            and (part["class"], part.get("name")) != ("task", "idle")]
    assert sample["culprit"].startswith(most[0]["class"] if most else "nobody"), sample


def check_tables(measured):
    watched = [of_cpu["cpu"] for of_cpu in measured["interference"]]
    unseen = any("have none of the meter's thread" in warning for warning in measured["warnings"])  # lost, on a busy machine
    assert watched == [cpu["cpu"] for cpu in measured["per_cpu"]] or unseen, (watched, measured["warnings"])
    for of_cpu in measured["interference"]:
        total_ns = of_cpu["undisturbed_ns"] + sum(row["ns"] for row in of_cpu["rows"])
        assert abs(total_ns - of_cpu["watched_ns"]) < 1, of_cpu


def check_who_had_the_time(npt):
    """Of each of the largest gaps, and of the whole run; or one line why nobody knows."""
    if not is_recorded(npt):
        return
    came_too_fast = any("came too fast to be accounted for" in warning for warning in npt["warnings"])
    for cpu in npt["per_cpu"]:
        for outlier in cpu["outliers"]:
            parts = outlier.get("accounting", [])
            assert parts or came_too_fast, outlier
            assert not parts or abs(sum(part["ns"] for part in parts) - outlier["latency_ns"]) < 0.1, outlier
            if parts:
                check_culprit(outlier)
        assert any("accounting" in outlier for outlier in cpu["outliers"]), cpu["outliers"]
    check_tables(npt)


def check_latest_wakeups(cyclictest):
    """Of another program: each CPU's table, and its latest wake-ups, each with its steps and its owners."""
    if not is_recorded(cyclictest):
        return
    check_tables(cyclictest)
    assert "; beside a task switch at most " in cyclictest["facts"]["around"], cyclictest["facts"]["around"]
    for of_cpu in cyclictest["interference"]:
        for wakeup in of_cpu["wakeups"]:
            steps = sum(wakeup[step] for step in ("late_interrupt_ns", "handler_ns", "waking_ns", "others_ns"))
            assert abs(steps - wakeup["latency_ns"]) < 0.1, wakeup
            assert abs(sum(part["ns"] for part in wakeup["accounting"]) - wakeup["latency_ns"]) < 0.1, wakeup
            check_culprit(wakeup)
        assert len(of_cpu["wakeups"]) == 10 and of_cpu["wakeups"] == sorted(of_cpu["wakeups"], key=lambda one: -one["latency_ns"]), of_cpu


def check_told(result, output, report):
    """The screen says who had the largest sample of each phase, or why nobody looked; and so does the report in text."""
    assert "Who had the largest samples" in report, report
    recorded = any(measured["facts"].get("kernel events", "").startswith("recorded") for measured in result["phases"])
    assert "\n  largest: " in output and (recorded or "who had it is not known of" in output), output
