#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tables.py RUN...: what runs of maxlat measured, as the tables of Beamonte 2015 have it, in Markdown.

RUN is the folder of a `maxlat run`, or a file that --json wrote; one for each kernel. A phase that is not valid has its
reason in the place of its figures.
"""
import json
import pathlib
import sys

SCHEDULING = ("cyclictest", "cyclic")
SINGLE = ("npt",)
FIGURES = ("min_ns", "mean_ns", "max_ns")


def us(ns):
    return f"{ns / 1e3:.3f}"


def figures_of(cpu):
    """Minimum, mean, maximum, variance and standard deviation in microseconds, as Table 3 has them."""
    deviation = cpu["stddev_ns"] / 1e3
    return [*(us(cpu[name]) for name in FIGURES), f"{deviation * deviation:.6f}", f"{deviation:.3f}"]


def lost_of(run, phase):
    """The events that an arm lost. They stand with all of its gaps, not with those that have a tracepoint."""
    same_arm = [other for other in run["phases"]
                if phase.get("arm") and all(other.get(key) == phase.get(key) for key in ("comparison", "arm"))]
    events = next((other["events"] for other in same_arm if other.get("events")), None)
    return "–" if not events else str(sum(count for name, count in events.items() if name.startswith("lost")))


def rows_of(run, phase, kernel, name):
    """One for each CPU."""
    if phase["status"] != "ok":
        yield [kernel, name, "–", f"{phase['status']}: {phase.get('reason', '')}", *["–"] * 6]
        return
    for cpu in phase["per_cpu"]:
        yield [kernel, name, str(cpu["cpu"]), str(cpu["samples"]), *figures_of(cpu), lost_of(run, phase)]


def loads_of(phase):
    return ", ".join(load["name"] for load in phase.get("load", [])) or "no load"


def title_of(runs, comparison):
    beside = any("load" in phase.get("facts", {}) for _, run in runs for phase in run["phases"] if phase.get("comparison") == comparison)
    return f"{comparison}: what tracers add{', the kernel traced as well (Figures 5 and 9)' if beside else ' (Tables 2 and 3)'}"


def chapters(runs):
    """Yields title and rows."""
    for kinds, title in ((SCHEDULING, "how late threads run after their timer (Table 1)"),
                         (SINGLE, "the loop without tracing (Figure 2)")):
        rows = [row for kernel, run in runs for phase in run["phases"] if phase["kind"] in kinds
                for row in rows_of(run, phase, kernel, f"{phase['name']}, {loads_of(phase)}")]
        yield title, rows
    comparisons = dict.fromkeys(phase["comparison"] for _, run in runs for phase in run["phases"] if phase.get("comparison"))
    for comparison in comparisons:
        rows = [row for kernel, run in runs for phase in run["phases"]
                if phase.get("comparison") == comparison and phase.get("gaps", "") in ("", "gaps with a tracepoint")
                for row in rows_of(run, phase, kernel, f"`{phase['arm']}`")]
        yield title_of(runs, comparison), rows


def read(path):
    path = pathlib.Path(path)
    run = json.loads((path / "result.json" if path.is_dir() else path).read_text())
    return run["machine"]["kernel"]["values"]["release"], run


def main(paths):
    try:
        runs = [read(path) for path in paths]
    except (OSError, ValueError, KeyError) as wrong:
        print(f"tables.py: no result of maxlat: {wrong}", file=sys.stderr)
        return 1
    found = False
    for title, rows in chapters(runs):
        if not rows:
            continue
        found = True
        print(f"## {title[0].upper()}{title[1:]}\n\n| kernel | what | CPU | samples | min, µs | mean, µs | max, µs | variance, µs² | "
              "deviation, µs | lost |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        print("\n".join(f"| {' | '.join(row)} |" for row in rows), end="\n\n")
    if not found:
        print("tables.py: no phase in it is one of the paper's", file=sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print("usage: tables.py RUN...", file=sys.stderr)
        sys.exit(1)
    sys.exit(main(sys.argv[1:]))
