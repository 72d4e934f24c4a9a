#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_large_report.py SAMPLE_RUN: the report of 64 CPUs over 24 hours, 10^11 samples and 10^5 outliers.

Its page is smaller than 3 MB and comes to its end in headless Chromium, where each of its plots is drawn and fifty steps
scroll through it, a frame each. Times are printed and not judged: they depend on who else uses the machine. What is judged
is CPU time, of the report and of a step, within wide limits.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from browser import Browser
from check_report import cannot_run, look, wrong_in

MOST_BYTES = 3_000_000
MOST_CPU_SECONDS = 3  # of the report; 0.7 were seen, beside other work
MOST_CPU_OF_A_STEP = 0.2  # seconds of the whole browser: 12 frames of a display; 0.018 were seen
STEPS = 50

# From the top to the end, and how long each step took until its frame was there.
SCROLL = f"""(async () => {{
  const frame = () => new Promise(requestAnimationFrame);
  const far = document.documentElement.scrollHeight - innerHeight, steps = [];
  let before = await frame();
  for (let i = 1; i <= {STEPS}; ++i) {{
    scrollTo(0, far * i / {STEPS});
    await frame();
    const now = await frame();
    steps.push(now - before);
    before = now;
  }}
  return {{steps, at: scrollY, far}};
}})()"""


def wrong_scrolling(report, folder):
    with Browser(folder) as browser:
        browser.open(report.as_uri())
        before = browser.cpu_seconds()
        seen = browser.value(SCROLL)
        cpu = (browser.cpu_seconds() - before) / STEPS
    print(f"scrolled {seen['far']} px in {STEPS} steps of two frames: the longest took {max(seen['steps']):.0f} ms "
          f"({max(seen['steps']) * 60 / 1000:.0f} frames of a display), "
          f"{cpu:.3f} s of CPU time each")
    if seen["far"] < 2000 or abs(seen["at"] - seen["far"]) > 1 or len(seen["steps"]) != STEPS:
        yield f"the page did not scroll to its end: {seen['at']} of {seen['far']} px"
    if cpu > MOST_CPU_OF_A_STEP:
        yield f"a step of scrolling takes {cpu:.2f} s of CPU time, more than {MOST_CPU_OF_A_STEP}"


def main():
    if cannot_run():
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        subprocess.run([sys.argv[1], "day", folder / "result.json"], check=True)
        result = json.loads((folder / "result.json").read_text())
        cpus = result["phases"][0]["per_cpu"]
        samples, outliers = sum(cpu["samples"] for cpu in cpus), sum(len(cpu["outliers"]) for cpu in cpus)
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([os.environ["MAXLAT"], "report", folder], check=True, stdout=subprocess.DEVNULL)
        seconds, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime  # gnuplot's, too
        page = (folder / "report.html").read_text()
        print(f"{samples:.2g} samples, {outliers} outliers, result.json {(folder / 'result.json').stat().st_size / 1e6:.1f} MB: "
              f"{seconds:.1f} s, {cpu_seconds:.1f} s of CPU time, page {len(page.encode()) / 1e6:.2f} MB")
        begin = time.monotonic()
        seen = look(page, "desk", folder)
        print(f"in the browser: {time.monotonic() - begin:.1f} s, {len(seen['plots'])} plots, {len(seen['heat'])} heat map")
        wrongs = list(wrong_scrolling(folder / "report.html", folder))
    wrongs += wrong_in(result, seen, "desk")
    if cpu_seconds > MOST_CPU_SECONDS:
        wrongs.append(f"the report took {cpu_seconds:.1f} s of CPU time, more than {MOST_CPU_SECONDS}")
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
