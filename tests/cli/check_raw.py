#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_raw.py: what --raw of npt and hwlat writes is what their results hold, and maxlat import reads it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

failures = []


def expect(found, what):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        failures.append(what)


def maxlat(*arguments):
    subprocess.run([os.environ["MAXLAT"], *arguments], check=True, timeout=50, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def the_only_cpu(path):
    (cpu,) = json.loads(pathlib.Path(path).read_text())["phases"][0]["per_cpu"]
    return cpu


def between(cpu, above_ns):
    """The fewest and the most samples above: of bins that the limit divides it is not known."""
    bins = [(low, high, count) for low, high, count in cpu["histogram"]["bins"]]
    beyond = cpu["histogram"]["overflow_count"]
    return (beyond + sum(count for low, _, count in bins if low > above_ns),
            beyond + sum(count for _, high, count in bins if high > above_ns))


def gaps(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return [[int(word) for word in line.split()] for line in lines if not line.startswith("#")]


def check(what, command, above_ns, folder):
    maxlat(*command, "-q", "--json", f"{folder}/{what}.json", "--raw", f"{folder}/{what}")
    cpu, raw = the_only_cpu(f"{folder}/{what}.json"), gaps(f"{folder}/{what}.0")
    fewest, most = between(cpu, above_ns)
    expect(fewest <= len(raw) <= most, f"{what}: {len(raw)} gaps are from {fewest} to {most}, as in the histogram")
    expect(raw and min(gap[3] for gap in raw) >= above_ns, f"{what}: each is above the limit")
    expect(raw and abs(max(gap[3] for gap in raw) - cpu["max_ns"]) <= 1, f"{what}: the largest is the maximum")
    expect(raw == sorted(raw), f"{what}: in the order of time")
    maxlat("import", f"{folder}/{what}.0", "-o", f"{folder}/{what}-again.json")
    again = the_only_cpu(f"{folder}/{what}-again.json")
    expect((again["samples"], round(again["max_ns"])) == (len(raw), max(gap[3] for gap in raw)), f"{what}: import reads it")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check("npt", ["npt", "--policy", "other", "--no-mlock", "-a", "0", "-D", "300ms", "--above", "200ns"], 200, folder)
        if os.geteuid() == 0:
            check("hwlat", ["hwlat", "--backend", "loop", "-a", "0", "-D", "300ms", "--window", "100ms", "--width", "80ms",
                            "--threshold", "200ns", "--outliers", "100000"], 200, folder)
    print("\n".join(f"# {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
