#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_lists.py DOCS: what the program's tables list, manual pages, docs/plan.md and docs/gate.md list, too.

The program is asked for its loads, arms, formats, metrics and kinds of phases as a user would ask.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def maxlat(*arguments):
    ended = subprocess.run([os.environ["MAXLAT"], *arguments], capture_output=True, text=True, timeout=30)
    return ended.stdout + ended.stderr


def items_of(page, heading):
    """The names in the list that begins behind the heading, a line of the page: `.It Cm NAME` with what may follow."""
    lists = re.search(rf"^{heading}$.*?^\.Bl (.*?)^\.El$", page.read_text(), re.M | re.S)
    return re.findall(r"^\.It Cm ([\w-]+)", lists[1], re.M) if lists else []


def kinds_of_plans():
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as plan:
        plan.write('[[phase]]\nname = "x"\nkind = "no such"\n')
        plan.flush()
        told = re.search(r"unknown kind 'no such': (.*)", maxlat("run", "--plan", plan.name, "--print-plan"))
    return re.split(r", | or ", told[1]) if told else []


def formats_of_verdicts():
    told = re.search(r"^hint: formats are (.*)$", maxlat("gate", "x", "--format", "no such"), re.M)
    return told[1].split(", ") if told else []


def rows_of(page, heading):
    """The first cells of the table below the heading, each a word or two of code."""
    table = re.search(rf"^## {heading}$(.*?)^## ", page.read_text(), re.M | re.S)
    return re.findall(r"^\| `([\w ]+)` \|", table[1], re.M) if table else []


def main(docs):
    man = docs / "man"
    arms = re.search(r"^arms: (.*)$", maxlat("npt", "--version"), re.M)
    def formats_of(command):
        shown = maxlat(command, "--help").partition("Formats:")[2].partition("Options")[0]
        return re.findall(r"^  ([\w-]+) {2,}", shown, re.M), items_of(man / f"maxlat-{command}.1", r"\.Ss Formats")

    lists = {
        "loads": (re.findall(r"^([\w-]+)", maxlat("load", "--list"), re.M),
                  items_of(man / "maxlat-load.1", r"\.Ss Loads of other programs") +
                  items_of(man / "maxlat-load.1", r"\.Ss Built-in loads")),
        "arms": (arms[1].split(", ") if arms else [], items_of(man / "maxlat-npt.1", "An arm is one of these, written as")),
        "formats to import": formats_of("import"),
        "formats to export": formats_of("export"),
        "metrics": (re.findall(r"^(\S+(?: NAME)?)", maxlat("gate", "--list-metrics"), re.M), rows_of(docs / "gate.md", "Metrics")),
        "formats of a verdict": (formats_of_verdicts(), items_of(man / "maxlat-gate.1", r"\.Ss Formats")),
        "kinds": (kinds_of_plans(), rows_of(docs / "plan.md", "Kinds")),
    }
    wrong = 0
    for what, (of_program, of_page) in lists.items():
        sound = bool(of_program) and set(of_program) == set(of_page)
        wrong += not sound
        print(f"{'ok' if sound else 'not ok'} - {what}: the program has {', '.join(of_program)}")
        if not sound:
            print(f"#   the page has {', '.join(of_page)}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
