#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_papers.py ROOT CTEST BUILD: docs/repeat-the-papers.md has each table and figure of the papers once, with a verdict, and
every command, test, file and anchor that it names is there.   check_papers.py --self-test ROOT CTEST BUILD plants mistakes.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

PAPERS = {
    "Beamonte 2015": [*(f"Table {n}" for n in range(1, 5)), *(f"Figure {n}" for n in range(1, 10)), "Section 5, polling"],
    "Desnoyers 2012": [*(f"Table {n}" for n in range(1, 7)), *(f"Figure {n}" for n in range(1, 8)), "Section 2", "Section 4.4",
                       "Section 5.2", *(f"Section 5.6, {call}" for call in ("system call", "read and open", "page fault", "fork and exit")),
                       "Section 5.8, breakpoint", "Section 5.8, DTrace"],
    "Desnoyers 2009": ["Table 4.1", "Table 4.2", "Tables 4.3 to 4.6", "Table 5.1", "Tables 5.2 and 5.3", "Table 5.4",
                       "Section 5.5.6", "Table 5.5", "Figure 5.7", "Tables 8.1 and 8.2", "Section 8.5"],
}
MEASURED = ("holds", "does not hold", "not decided here")


def output_of(*command):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    return ended.stdout + ended.stderr


def anchors(page):
    """As GitHub makes them of headings."""
    for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class Checker:
    def __init__(self, root, ctest, build):
        self.root, self.ctest, self.build, self.helps = root, ctest, build, {}

    def help_of(self, subcommand):
        if subcommand not in self.helps:
            self.helps[subcommand] = output_of(os.environ["MAXLAT"], *subcommand, "--help")
        return self.helps[subcommand]

    def maxlat(self, words):
        """Of `maxlat SUB [SUB] --option ...`: the options and, where it names some, the arms and the plan."""
        subcommand = []
        while len(subcommand) < len(words) and re.fullmatch(r"[a-z][a-z-]*", words[len(subcommand)]):
            subcommand.append(words[len(subcommand)])
        subcommand = tuple(subcommand[:2] if subcommand[0] in ("trace", "shield") else subcommand[:1])
        for option in (word for word in words if word.startswith("-")):
            if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", self.help_of(subcommand)):
                yield f"maxlat {' '.join(subcommand)} has no {option}"
        for option, value in zip(words, words[1:]):
            if option in ("--compare", "--find-max-rate"):
                known = re.search(r"^arms: (.*)$", output_of(os.environ["MAXLAT"], "npt", "--version"), re.M)
                known = known[1].split(", ") if known else []
                yield from (f"there is no arm {arm}" for arm in value.split(",")
                            if "=" not in arm and arm.split(":")[0] not in known)
            if option == "--plan" and value.startswith("docs/") and "[[phase]]" not in output_of(
                    os.environ["MAXLAT"], "run", "--plan", self.root / value, "--print-plan"):
                yield f"{value} is no plan"

    def test(self, words):
        """Of `ctest --preset release -R NAME`: a test of that name. Guests are not in every build."""
        name = words[words.index("-R") + 1]
        guest = re.fullmatch(r"guest\.(\w+)", name)
        if guest and not (self.root / f"tests/guest/{guest[1]}.guest.sh").exists():
            yield f"there is no guest test {guest[1]}"
        if not name.startswith("guest.") and "Total Tests: 0" in output_of(self.ctest, "--test-dir", self.build, "-N", "-R", name):
            yield f"there is no test {name}"

    def code(self, text):
        """What is wrong with a piece of code of the page: a command, or a place in the tree."""
        words = shlex.split(text)
        if words[:1] == ["maxlat"] and len(words) > 1:
            yield from self.maxlat(words[1:])
        elif words[:1] == ["ctest"] and "-R" in words:
            yield from self.test(words)
        elif "/" in words[0] and not words[0].startswith(("/", "build/")) and not (self.root / words[0]).exists():
            yield f"there is no {words[0]}"

    def links(self, text, page):
        for target in re.findall(r"\]\(([^)]+)\)", text):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                yield f"a link leads nowhere: {target}"
            elif anchor and anchor not in (list(anchors(file)) if path else list(self.own_anchors)):
                yield f"no heading makes this anchor: {target}"

    def check(self, text, page):
        """Yields what is wrong with the page, were this its text."""
        sys.path.insert(0, str(self.root / "bench/papers"))
        import page as page_of_papers
        self.own_anchors = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
                            for heading in re.findall(r"^#+ (.*)$", text, re.M)]
        try:
            rows = list(page_of_papers.rows(text))
        except ValueError as wrong:
            yield str(wrong)
            return
        for paper, names in PAPERS.items():
            for name in names:
                count = sum((row.paper, row.name) == (paper, name) for row in rows)
                if count != 1:
                    yield f"{paper}, {name}: {count} rows"
        for row in rows:
            where = f"{row.paper}, {row.name}"
            if row.name not in PAPERS.get(row.paper, ()):
                yield f"{where}: is not in the list of this test, so it could vanish unseen"
            if row.verdict not in page_of_papers.VERDICTS:
                yield f"{where}: \"{row.verdict}\" is no verdict"
            if row.verdict in MEASURED and "`" not in row.made_by:
                yield f"{where}: {row.verdict}, and no command"
            if row.verdict in (*MEASURED, "cannot be had here") and not row.why:
                yield f"{where}: {row.verdict}, and no reason"
        for line in text.splitlines():
            for code in [line.strip()] if line.startswith("    ") else re.findall(r"`([^`]+)`", line):
                yield from self.code(code)
        yield from self.links(text, page)


def self_test(checker, page):
    """Each mistake, planted into the page as it is, and what must be said of it."""
    text, missed = page.read_text(), []
    row, section = (next(line for line in text.splitlines() if line.startswith(f"| **{name}**")) for name in ("Table 1", "Section 5.2"))
    for old, new, said in (
            (row + "\n", "", "Beamonte 2015, Table 1: 0 rows"),
            (row + "\n", row + "\n" + row + "\n", "Beamonte 2015, Table 1: 2 rows"),
            (section + "\n", "", "Desnoyers 2012, Section 5.2: 0 rows"),
            ("| **Section 2** |", "| **Section 3** |", "Section 3: is not in the list of this test"),
            ("| **cannot be had here**:", "| **perhaps**:", "no verdict"),
            ("| **holds**:", "| holds:", "no row of five cells"),
            ("`maxlat npt --find-max-rate lttng-ust:timer --with-load trace:all`, and `trace:syscalls` |", "– |",
             "not decided here, and no command"),
            ("`maxlat run --shield`; `ctest --preset release -R guest.run_shielded`", "–", "holds, and no command"),
            ("maxlat run --shield", "maxlat run --sheild", "has no --sheild"),
            ("--find-max-rate lttng-ust:timer", "--find-max-rate lttng-usd:timer", "no arm lttng-usd:timer"),
            ("-R guest.systemtap", "-R guest.systemtop", "no guest test systemtop"),
            ("-R tracer.models", "-R tracer.modles", "no test tracer.modles"),
            ("`tracer/ring/layout.h`", "`tracer/ring/lay_out.h`", "there is no tracer/ring/lay_out.h"),
            ("(life-of-an-event.md)", "(life-of-events.md)", "a link leads nowhere"),
            ("(#barriers)", "(#barrier)", "no heading makes this anchor")):
        if old not in text:
            missed.append(f"nothing to plant in: {old}")
        elif not any(said in wrong for wrong in checker.check(text.replace(old, new, 1), page)):
            missed.append(f"not found: {said}")
    return missed


if __name__ == "__main__":
    own_test = sys.argv[1] == "--self-test"
    ROOT = pathlib.Path(sys.argv[-3])
    CHECKER = Checker(ROOT, *sys.argv[-2:])
    PAGE = ROOT / "docs/repeat-the-papers.md"
    errors = self_test(CHECKER, PAGE) if own_test else list(CHECKER.check(PAGE.read_text(), PAGE))
    print("\n".join(errors) if errors else "every table and figure has its row")
    sys.exit(1 if errors else 0)
