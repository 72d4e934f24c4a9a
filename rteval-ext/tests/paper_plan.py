#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""paper_plan.py ROOT: the profile paper (rteval-ext/plans/paper.toml) runs to its end, and bench/papers/tables.py makes tables of what it leaves.

The plan is taken as it is, except for its times, its rounds and the kernel that its load builds. No figure is looked at.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MAXLAT = os.environ["MAXLAT"]
MAKEFILE = "all:\n\ttest -f $(O)/.config\n\ttouch $(O)/vmlinux\ndefconfig:\n\ttouch $(O)/.config\nclean:\n\trm -f $(O)/vmlinux\n"
failures = []


def expect(found, what):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        failures.append(what)


def shortened(plan, source):
    """One second a phase, and tracers one round of a tenth."""
    plan, rounds = re.subn(r"rounds = \d+\nduration = \"\w+\"", 'rounds = 1\nduration = "100ms"', plan)
    plan, times = re.subn(r"duration = \"\d+[hm]\"", 'duration = "1s"', plan)
    plan, sources = re.subn('"kernel"', f'"kernel:{source}"', plan)
    expect((rounds, times, sources) == (3, 3, 1), "the plan has the phases whose times are shortened here")
    return plan


def tables(*runs):
    return subprocess.run([ROOT / "bench/papers/tables.py", *runs], capture_output=True, text=True, timeout=60)


def whole_plan(folder):
    (folder / "source").mkdir()
    (folder / "source/Makefile").write_text(MAKEFILE)
    plan = folder / "paper.toml"
    plan.write_text(shortened(subprocess.run([MAXLAT, "run", "--profile", "paper", "--print-plan"], capture_output=True, text=True, check=True).stdout, folder / "source"))
    run = folder / "run"
    # No control and no shield: both are tested by themselves, and a shield changes the machine.
    ended = subprocess.run([MAXLAT, "run", "--plan", plan, "-o", run, "--skip", "control", "--no-shield", "-q"],
                           capture_output=True, text=True, timeout=200)
    expect(ended.returncode in (0, 3), f"the run ends by itself: {ended.returncode} {ended.stderr[-300:]}")
    phases = json.loads((run / "result.json").read_text())["phases"]
    made = tables(run, run)
    expect(made.returncode == 0, f"the tables are made: {made.stderr}")
    print(made.stdout)
    traced = [phase for phase in phases if phase["name"].startswith("Figures 5 and 9: ") and phase["status"] == "ok"]
    expect(all(phase["facts"]["load"].startswith("the kernel traced: ") for phase in traced), "the kernel is traced beside each of them")
    expect(not traced or "the kernel traced as well" in made.stdout, "and the table says so")
    for phase in phases:
        if phase["kind"] not in ("cyclictest", "npt", "tracer") or phase.get("gaps", "").startswith("all"):
            continue
        name = f"`{phase['arm']}`" if phase.get("arm") else phase["name"]
        rows = [line for line in made.stdout.splitlines() if f"| {name}" in line]
        expect(rows, f"{phase['name']} is in a table")
        if phase["status"] != "ok":
            expect(any(phase["reason"] in row for row in rows), f"{phase['name']} has its reason: {phase['reason']}")
    samples = sum(cpu["samples"] for phase in phases if phase["name"] == "Table 1" for cpu in phase["per_cpu"])
    expect(samples > 0 or any(phase["status"] != "ok" for phase in phases if phase["name"] == "Table 1"), "Table 1 has samples")


def what_is_no_run(folder):
    nothing = folder / "nothing.json"
    for text, why in (("{", "no result of maxlat"), ('{"phases": []}', "no result of maxlat"),
                      ('{"machine": {"kernel": {"values": {"release": "6.1"}}}, "phases": []}', "no phase in it")):
        nothing.write_text(text)
        ended = tables(nothing)
        expect(ended.returncode == 1 and why in ended.stderr and ended.stderr.count("\n") == 1, f"refused: {text}")
    expect(tables(folder / "nowhere").returncode == 1, "a run that is not there is refused")
    expect(tables().returncode == 1, "no run at all is refused")


def main():
    if os.geteuid() != 0:
        print("measuring needs root")
        return 77
    for part in (what_is_no_run, whole_plan):
        with tempfile.TemporaryDirectory() as folder:
            part(pathlib.Path(folder))
    print("\n".join(f"# {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv[1])
    sys.exit(main())
