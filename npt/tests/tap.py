# SPDX-License-Identifier: MIT
"""What npt's tests from outside share: the program, waiting for a condition, and running checks as TAP."""
import os
import pathlib
import subprocess
import tempfile
import time

MAXLAT = os.environ["MAXLAT"]


def wait_for(condition, what, limit_s=20):
    """The first true value of condition(). `what` is a text, or a function that makes it."""
    end = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < end, f"no {what() if callable(what) else what} within {limit_s} s"
        time.sleep(0.005)
    return value


def loop_seconds(pid):
    """CPU time of the measuring thread, which is the one under SCHED_FIFO; 0 when there is none."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if os.sched_getscheduler(int(task.name)) == os.SCHED_FIFO:
                return int((task / "stat").read_text().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")
        except (ProcessLookupError, FileNotFoundError):
            pass
    return 0


def measuring(run):
    """Returns when the loop of this npt has run, and then for a while since the call."""
    def alive_and(condition):
        assert run.poll() is None, f"ended early: {run.communicate()}"
        return condition()
    before = wait_for(lambda: alive_and(lambda: loop_seconds(run.pid)), "measuring thread")
    wait_for(lambda: alive_and(lambda: loop_seconds(run.pid) > before + 0.2), "progress of the loop")


def needs_root_and_fifo():
    """Ends the program with 77, and says why, where npt's defaults are not permitted."""
    probe = subprocess.run([MAXLAT, "npt", "-l", "1000", "-q"], capture_output=True, text=True)
    if os.geteuid() != 0 or probe.returncode != 0:
        print(f"needs root and SCHED_FIFO: {probe.stderr}")
        raise SystemExit(77)


# What npt says of RT throttling and the fair server, and of other tasks that had its CPU.
KNOWN_ANSWERS = ("stopped the loop", "other tasks had CPU")
TRIES = 6


def check_again_where_disturbed(check):
    """check(folder), in a fresh folder. That a loop did not have its CPU is a known answer of npt on a busy machine and no failure
    of a test: once more then."""
    for left in reversed(range(TRIES)):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return check(folder)
            except AssertionError as mistake:
                if left == 0 or not any(answer in str(mistake) for answer in KNOWN_ANSWERS):
                    raise
                print("# once more: a loop did not have its CPU", flush=True)


def run_checks(checks, names):
    """Runs each check(folder), or those that are named; returns the exit status. A check that returns a text was skipped."""
    failed = 0
    chosen = [check for check in checks if not names or check.__name__ in names]
    print(f"1..{len(chosen)}")
    for number, check in enumerate(chosen, 1):
        try:
            skip = check_again_where_disturbed(check)
            print(f"ok {number} - {check.__name__}" + (f" # SKIP {skip}" if skip else ""), flush=True)
        except AssertionError as mistake:
            failed += 1
            print(f"not ok {number} - {check.__name__}\n#   {mistake}", flush=True)
    return 1 if failed or not chosen else 0
