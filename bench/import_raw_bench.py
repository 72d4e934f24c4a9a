#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""import_raw_bench.py [MAXLAT]: how fast `maxlat import` reads samples one by one, and in how much memory.

A file of sysjitter --raw and one of cyclictest -v, of 64 MiB and of 1 GiB, go through a pipe. The memory must be the same for
both sizes. Beside the time stands that of `wc -l` on the same bytes, so that a busy machine shows.
"""
import os
import pathlib
import random
import subprocess
import sys
import time

MIB = 1 << 20
BLOCK = 64 * MIB
MAXLAT = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1] / "build/release/cli/maxlat"


def block_of(line, seed):
    """About 64 MiB of lines; `line` makes one from its number and a latency."""
    draw = random.Random(seed)
    lines, size, number = [], 0, 0
    while size < BLOCK:
        lines.append(line(number, int(draw.lognormvariate(3, 1)) + 1))
        size += len(lines[-1])
        number += 1
    return "".join(lines).encode(), number


def sysjitter(blocks):
    block, lines = block_of(lambda i, us: f"{i * 25000:16d} {25:10d} {us * 2000:10d} {us * 1000:10d}\n", 1)
    yield f"# cpu_mhz: 2000\n# threshold: 200ns\n# n_interruptions: {lines * blocks}\n".encode()
    yield from (block for _ in range(blocks))


def cyclictest(blocks):
    """Each block is of another thread."""
    block, _ = block_of(lambda i, us: f"{0:8d}:{i:8d}:{us:8d}\n", 2)
    for thread in range(blocks):
        yield b"Thread %d Interval: 1000\n" % thread
        yield (b"\n" + block).replace(b"\n       0:", b"\n%8d:" % thread)[1:]


def most_memory(process):
    """In MiB. Not from wait4(), which counts what the memory was before exec(), too: this script's."""
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


def through(command, pieces):
    """Seconds of the command that reads these pieces, its CPU seconds, and the most memory that it had when all was read."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    begun = time.monotonic()
    for piece in pieces:
        child.stdin.write(piece)
    child.stdin.flush()
    memory = most_memory(child.pid)
    child.stdin.close()
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, f"{command}: status {status}"
    return time.monotonic() - begun, used.ru_utime + used.ru_stime, memory


print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} CPUs")
print("format       MiB    wc -l MiB/s    import MiB/s    of its CPU time MiB/s    largest memory MiB")
for make in (sysjitter, cyclictest):
    for blocks in (1, 16):
        pieces = list(make(blocks))
        size = sum(map(len, pieces)) / MIB
        plain, _, _ = through(["wc", "-l"], pieces)
        seconds, cpu, memory = through([str(MAXLAT), "import", "-"], pieces)
        print(f"{make.__name__:10} {size:6.0f} {size / plain:14.0f} {size / seconds:15.0f} {size / cpu:24.0f} {memory:21.0f}")
