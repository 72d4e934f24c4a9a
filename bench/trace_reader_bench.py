#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast and in how much memory traces are read: `maxlat trace print`, `stats` and `check` beside babeltrace2's text;
and print of the same trace through libbabeltrace2, as of another tracer's, where maxlat was built with it.

  trace_reader_bench.py LARGE_PROGRAM [ROUNDS [EVENTS ...]]   with $MAXLAT as the program

Each round reads the same trace with each program, in another order. A figure is the median over rounds of events for each
second of CPU time (the machine may be shared), and of its ratio to babeltrace2 in the same round. Output goes to
/dev/null. Fails when print or stats reads less than 3 times as many events per second, or when the peak memory of either
grows with the trace; or when print through the library reads less than half as many as babeltrace2. Speed is judged by the
largest trace: of a small one, most of the time is the program's start.
"""
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

GOAL, LIBRARY_GOAL = 3, 0.5
GROWTH_KIB = 2048


def measured(command):
    """CPU seconds and peak resident KiB of a program that must succeed."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    sizes = [int(word) for word in sys.argv[3:]] or [10**6, 10**7]
    if shutil.which("babeltrace2") is None:
        print("babeltrace2 is not installed")
        return 77
    maxlat, peaks, sound = os.environ["MAXLAT"], {}, True
    print(f"{rounds} rounds, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs; event: 3 fields, 32 bytes")
    print(f"{'events':>9}  {'reader':<13}{'M events/s':>11}{'x babeltrace2':>15}{'peak KiB':>10}")
    for events in sizes:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, f"{folder}/ours", str(events)], check=True)
            shutil.copytree(f"{folder}/ours", f"{folder}/library")
            for metadata in pathlib.Path(folder).glob("library/*/metadata"):  # of a version that is none
                metadata.write_text(metadata.read_text().replace("packet_format = ", "packet_format = 9"))
            readers = {"babeltrace2": ["babeltrace2", f"{folder}/ours"]}
            if subprocess.run([maxlat, "trace", "check", "-q", f"{folder}/library"], stderr=subprocess.DEVNULL).returncode != 77:
                readers["library"] = [maxlat, "trace", "print", f"{folder}/library"]
            readers |= {name: [maxlat, "trace", name, f"{folder}/ours"] for name in ("print", "stats", "check")}
            rates, ratios = {name: [] for name in readers}, {name: [] for name in readers}
            for _ in range(rounds):
                for name in random.sample(list(readers), len(readers)):
                    seconds, peak = measured(readers[name])
                    rates[name].append(events / seconds)
                    peaks[name, events] = max(peak, peaks.get((name, events), 0))
                for name in readers:
                    ratios[name].append(rates[name][-1] / rates["babeltrace2"][-1])
        for name in readers:
            ratio = statistics.median(ratios[name])
            print(f"{events:>9}  {name:<13}{statistics.median(rates[name]) / 1e6:>11.2f}{ratio:>15.1f}{peaks[name, events]:>10}")
            if events == sizes[-1]:
                sound &= ratio >= {"print": GOAL, "stats": GOAL, "library": LIBRARY_GOAL}.get(name, 0)
    for name in ("print", "stats"):
        sound &= peaks[name, sizes[-1]] < peaks[name, sizes[0]] + GROWTH_KIB
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
