# SPDX-License-Identifier: MIT
"""What npt's tests from outside share: the program, waiting for a condition, and running checks as TAP."""
import os
import subprocess
import tempfile
import time

MAXLAT = os.environ["MAXLAT"]


def wait_for(condition, what, limit_s=20):
    """The first true value of condition()."""
    end = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < end, f"no {what} within {limit_s} s"
        time.sleep(0.005)
    return value


def needs_root_and_fifo():
    """Ends the program with 77, and says why, where npt's defaults are not permitted."""
    probe = subprocess.run([MAXLAT, "npt", "-l", "1000", "-q"], capture_output=True, text=True)
    if os.geteuid() != 0 or probe.returncode != 0:
        print(f"needs root and SCHED_FIFO: {probe.stderr}")
        raise SystemExit(77)


def run_checks(checks, names):
    """Runs each check(folder), or those that are named; returns the exit status. A check that returns a text was skipped."""
    failed = 0
    chosen = [check for check in checks if not names or check.__name__ in names]
    print(f"1..{len(chosen)}")
    for number, check in enumerate(chosen, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                skip = check(folder)
                print(f"ok {number} - {check.__name__}" + (f" # SKIP {skip}" if skip else ""), flush=True)
            except AssertionError as mistake:
                failed += 1
                print(f"not ok {number} - {check.__name__}\n#   {mistake}", flush=True)
    return 1 if failed or not chosen else 0
