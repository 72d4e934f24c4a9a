#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the report of a large run costs: 64 CPUs with 10^9 samples each, plots included.

  report_bench.py SAMPLE_RUN [CPUS [PHASES [REPEATS]]]   with $MAXLAT as the program

Prints time and peak memory of `maxlat report` and, for comparison, of --text, which draws nothing. The goal is 2 s and
200 MiB for any run. Fails above 80 MiB with 64 CPUs and one phase: it takes 40, and 106 when the JSON's bins are kept as a
tree (tests/defects). The time depends on who else uses the machine, so it is printed and not judged.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

GOAL_MIB, LIMIT_MIB = 200, 80


def measured(*command):
    """Seconds, and the peak resident size of the process or of its largest child, in MiB."""
    begin = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {child.returncode}")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def main():
    sample_run, maxlat = sys.argv[1], os.environ["MAXLAT"]
    cpus, phases, repeats = ([int(word) for word in sys.argv[2:]] + [64, 1, 5][len(sys.argv) - 2:])
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        result = folder / "result.json"
        subprocess.run([sample_run, "large", result, str(cpus), str(phases)], check=True)
        print(f"{cpus} CPUs, {phases} phase(s), result.json {result.stat().st_size / 2**20:.1f} MiB")
        peak = 0
        for name, options in {"page": [], "text": ["--text"]}.items():
            runs = [measured(maxlat, "report", *options, folder) for _ in range(repeats)]
            seconds = sorted(run[0] for run in runs)
            peak = max(peak, *(run[1] for run in runs))
            print(f"{name}: {seconds[0]:.2f} s best, {seconds[len(seconds) // 2]:.2f} s median of {repeats}, "
                  f"peak {max(run[1] for run in runs):.0f} MiB")
        print(f"report.html {(folder / 'report.html').stat().st_size / 1024:.0f} KiB")
    most = LIMIT_MIB if (cpus, phases) == (64, 1) else GOAL_MIB
    if peak > most:
        sys.exit(f"peak memory {peak:.0f} MiB, at most {most} are right")


if __name__ == "__main__":
    main()
