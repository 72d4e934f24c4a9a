#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""token_order.py UNIT_TESTS: two processes hand a token to and fro (session/boot_clock_test.cpp), and babeltrace2, which knows
nothing of our ticks, merges their traces into causal order as well: it goes by the nanoseconds that the metadata tell."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory(prefix="maxlat-token-") as folder:
    trace = pathlib.Path(folder) / "trace"
    test = subprocess.run([sys.argv[1], "--gtest_filter=BootClock.AToken*"], env={**os.environ, "MAXLAT_TOKEN_TRACE": str(trace)},
                          capture_output=True, text=True, timeout=120)
    assert test.returncode == 0, test.stdout + test.stderr
    read = subprocess.run(["babeltrace2", "--no-delta", str(trace)], capture_output=True, text=True, timeout=240)
    assert read.returncode == 0 and not read.stderr, read.stderr[:2000]
values = [int(value) for value in re.findall(r"token:has: .*\{ n = (\d+)", read.stdout)]
assert len(values) > 1 and read.stdout.count("\n") == len(values), read.stdout[:500]
wrong = [(number, value) for number, value in enumerate(values) if number != value]
assert not wrong, f"{len(wrong)} of {len(values)} out of order: {wrong[:5]}"
print(f"{len(values)} handovers in order")
