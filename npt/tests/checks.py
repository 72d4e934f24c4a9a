# SPDX-License-Identifier: MIT
"""Runs checks as a TAP stream. A check takes an empty folder; it fails by AssertionError, and skips by returning why."""
import os
import subprocess
import tempfile

MAXLAT = os.environ["MAXLAT"]


def run_checks(all_checks, names):
    """The exit status for ctest: 77 without root or SCHED_FIFO. `names`: these only; empty: all."""
    probe = subprocess.run([MAXLAT, "npt", "-l", "1000", "-q"], capture_output=True, text=True)
    if os.geteuid() != 0 or probe.returncode != 0:
        print(f"needs root and SCHED_FIFO: {probe.stderr}")
        return 77
    failed = 0
    checks = [c for c in all_checks if not names or c.__name__ in names]
    print(f"1..{len(checks)}")
    for number, check in enumerate(checks, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                skip = check(folder)
                print(f"ok {number} - {check.__name__}" + (f" # SKIP {skip}" if skip else ""), flush=True)
            except AssertionError as mistake:
                failed += 1
                print(f"not ok {number} - {check.__name__}\n#   {mistake}", flush=True)
    return 1 if failed or not checks else 0
