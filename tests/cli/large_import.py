#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""large_import.py: files with every sample are imported in memory that does not grow with them, and every sample counts.
And at 100 MB in a second of the importer's own CPU time: other work beside it does not count.

128 MiB of sysjitter and of cyclictest -v go through a pipe; the importer must not have had more than 48 MiB when it had read
them. Their figures are known.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

MAXLAT = os.environ["MAXLAT"]
MOST_MIB = 48
LEAST_MB_PER_S = 100  # of CPU time
BLOCKS = 16
LINES = 200_000  # of a block


def sysjitter():
    """The same block again and again: a raw file need not ascend in time (--sort)."""
    block = "".join(f"{i:16d} {25:10d} {2 * (i % 5000 + 1):10d} {i % 5000 + 1:10d}\n" for i in range(LINES)).encode()
    yield f"# cpu_mhz: 2000\n# threshold: 1ns\n# n_interruptions: {LINES * BLOCKS}\n".encode()
    yield from [block] * BLOCKS


def cyclictest():
    """Each block is of another thread."""
    for thread in range(BLOCKS):
        yield f"Thread {thread} Interval: 1000\n".encode()
        yield "".join(f"{thread:8d}:{i:8d}:{i % 50 + 1:18d}\n" for i in range(LINES)).encode()


def imported(pieces, result):
    """MiB that the importer had at most when it had read the pieces, MB that it read in a second of its CPU time, and the
    only phase."""
    size = 0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen([MAXLAT, "import", "-", "-o", result], stdin=subprocess.PIPE) as child:
        for piece in pieces:
            child.stdin.write(piece)
            size += len(piece)
        child.stdin.flush()
        status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
        child.stdin.close()
        assert child.wait() == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    kib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))
    return kib / 1024, size / 1e6 / cpu_seconds, json.loads(result.read_text())["phases"][0]


def main():
    sound = True
    with tempfile.TemporaryDirectory() as folder:
        for make, max_ns, threads in ((sysjitter, 5000, 1), (cyclictest, 50_000, BLOCKS)):
            mib, rate, phase = imported(make(), pathlib.Path(folder) / "result.json")
            cpus = phase["per_cpu"]
            right = (len(cpus) == threads and sum(cpu["samples"] for cpu in cpus) == LINES * BLOCKS
                     and all(cpu["max_ns"] == max_ns for cpu in cpus))
            good = right and mib < MOST_MIB and rate >= LEAST_MB_PER_S
            print(f"{'ok' if good else 'not ok'} - {make.__name__}: {len(cpus)} CPUs, {mib:.0f} MiB, {rate:.0f} MB/s of CPU time")
            sound = sound and good
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
