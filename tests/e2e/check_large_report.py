#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_large_report.py SAMPLE_RUN: the report of 64 CPUs over 24 hours, 10^11 samples and 10^5 outliers.

Its page is smaller than 3 MB and comes to its end in headless Chromium, where each of its plots is drawn. How long it took to
make is printed and not judged: that depends on who else uses the machine.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from check_report import cannot_run, look, wrong_in

MOST_BYTES = 3_000_000


def main():
    if cannot_run():
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        subprocess.run([sys.argv[1], "day", folder / "result.json"], check=True)
        result = json.loads((folder / "result.json").read_text())
        cpus = result["phases"][0]["per_cpu"]
        samples, outliers = sum(cpu["samples"] for cpu in cpus), sum(len(cpu["outliers"]) for cpu in cpus)
        begin = time.monotonic()
        subprocess.run([os.environ["MAXLAT"], "report", folder], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - begin
        page = (folder / "report.html").read_text()
        print(f"{samples:.2g} samples, {outliers} outliers, result.json {(folder / 'result.json').stat().st_size / 1e6:.1f} MB: "
              f"{seconds:.1f} s, page {len(page.encode()) / 1e6:.2f} MB")
        begin = time.monotonic()
        seen = look(page, "desk", folder)
        print(f"in the browser: {time.monotonic() - begin:.1f} s, {len(seen['plots'])} plots, {len(seen['heat'])} heat map")
    wrongs = list(wrong_in(result, seen, "desk"))
    if samples < 1e11 or outliers < 1e5:
        wrongs.append("the run is too small")
    if len(page.encode()) > MOST_BYTES:
        wrongs.append(f"the page has {len(page.encode())} bytes, more than {MOST_BYTES}")
    if len(seen["heat"]) != 1:
        wrongs.append("there is no heat map")
    for wrong in wrongs:
        print("wrong:", wrong)
    return 1 if wrongs else 0


if __name__ == "__main__":
    sys.exit(main())
