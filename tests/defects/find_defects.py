#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""find_defects.py [NAME...]: brings back true defects of this repository's history, one after the other (defects.toml),
and shows that the tests find each. By hand: every defect costs two builds and two runs of a test (docs/testing.md).

  find_defects.py --list     what there is; exit status 1 when an entry is stale, or a preset or a label has none (test
                             architecture.defects)
  find_defects.py            all of them, as a table in the end; exit status 0 only when every one was found

Works in a git worktree of its own, of the commit that is checked out here: what is not committed is not looked at.
A test must pass without the defect first. With it the test must fail, and say what the entry expects: a failure for
another reason, as a build that fails, is no find.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORDS = {"name", "mended", "file", "old", "new", "preset", "targets", "test", "label", "says"}  # of every entry
MAY = {"options"}  # to configure the preset with
TESTS_OF = {"static": "release", "validate": "release"}  # presets without tests: whose tests look at what they build
OF_GUESTS = "static"  # whose maxlat the guests run

sys.path.insert(0, str(ROOT / "tests" / "architecture"))
from labels import KNOWN as LABELS  # noqa: E402


class Wrong(Exception):
    """Why an entry was not found, or cannot be tried."""


def entries(names):
    table = tomllib.loads((HERE / "defects.toml").read_text())["defect"]
    for entry in table:
        assert WORDS <= entry.keys() <= WORDS | MAY, f"{entry.get('name')}: {sorted(entry.keys() ^ WORDS)}"
    unknown = set(names) - {entry["name"] for entry in table}
    if unknown:
        sys.exit(f"find_defects: no such defect: {', '.join(sorted(unknown))}; --list says which there are")
    return [entry for entry in table if not names or entry["name"] in names]


def run(*command, cwd, log=None):
    """RETURNS: exit status and all that it printed, which goes to the end of the file `log`, too."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if log:
        with log.open("a") as file:
            file.write(f"$ {' '.join(map(str, command))}\n{done.stdout}\n")
    return done.returncode, done.stdout


def git(*words, cwd=ROOT):
    status, output = run("git", *words, cwd=cwd)
    if status != 0:
        sys.exit(f"find_defects: git {' '.join(map(str, words))}: {output}")
    return output.strip()


def make_tree(tree):
    """The worktree at this checkout's commit. What a killed run left planted in it is undone."""
    commit = git("rev-parse", "HEAD")
    if not (tree / ".git").exists():
        git("worktree", "prune")
        git("worktree", "add", "--detach", tree, commit)
    git("checkout", "--quiet", "--force", "--detach", commit, cwd=tree)


def stale(entry, tree):
    """RETURNS: why the entry is not for this source any more, or None."""
    path = tree / entry["file"]
    places = path.read_text().count(entry["old"]) if path.exists() else 0
    return None if places == 1 else f"stale: its old text is at {places} places of {entry['file']}"


def without(table):
    """Yields presets and labels of which there is no defect."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    for kind, all_of in (("preset", {each["name"] for each in presets if not each.get("hidden")}), ("label", LABELS)):
        for name in sorted(all_of - {entry[kind] for entry in table}):
            yield f"no defect is for the {kind} {name}"


class Trial:
    """One entry, in a tree whose preset is configured."""

    def __init__(self, entry, tree, log, jobs):
        self.entry, self.tree, self.log, self.jobs = entry, tree, log, jobs
        self.log.write_text("")

    def build_targets(self, preset, targets, when):
        status, _ = run("cmake", "--build", "--preset", preset, "-j", self.jobs, "--target", *targets, cwd=self.tree,
                        log=self.log)
        if status != 0:
            raise Wrong(f"does not build {when} the defect")

    def build(self, when):
        if self.entry["targets"]:
            self.build_targets(self.entry["preset"], self.entry["targets"], when)

    def ctest(self, *more, log=None):
        preset = TESTS_OF.get(self.entry["preset"], self.entry["preset"])
        return run("ctest", "--preset", preset, "-R", self.entry["test"], "--no-tests=error", *more,
                   cwd=self.tree, log=log)

    def check_label(self):
        status, output = self.ctest("--show-only=json-v1")
        tests = json.loads(output[output.index("{"):])["tests"] if status == 0 else []
        if not tests:
            raise Wrong(f"no test is named {self.entry['test']}")
        for test in tests:
            labels = [each["value"] for each in test.get("properties", []) if each["name"] == "LABELS"]
            if labels != [[self.entry["label"]]]:
                raise Wrong(f"{test['name']} has the label {labels}")

    def check_sound(self):
        self.build("without")
        if self.entry["label"] == "guest":
            self.build_targets(OF_GUESTS, ["maxlat"], "without")
        self.check_label()
        status, output = self.ctest(log=self.log)
        if status != 0:
            raise Wrong("the test fails without the defect")
        if "***Skipped" in output:
            raise Wrong("the test cannot run here")

    def find(self):
        path = self.tree / self.entry["file"]
        sound = path.read_text()
        try:
            path.write_text(sound.replace(self.entry["old"], self.entry["new"]))
            self.build("with")
            status, output = self.ctest(log=self.log)
        finally:
            path.write_text(sound)
        if status == 0:
            raise Wrong("the test passes with the defect")
        if not re.search(self.entry["says"], output):
            raise Wrong("the test fails, but does not say why as expected")


def configure(chosen, tree, logs):
    presets = [entry["preset"] for entry in chosen]
    presets += [OF_GUESTS for entry in chosen if entry["label"] == "guest"]
    for preset in dict.fromkeys([*presets, *(TESTS_OF[preset] for preset in presets if preset in TESTS_OF)]):
        options = [option for entry in chosen if entry["preset"] == preset for option in entry.get("options", [])]
        # As check-all does: so the compiler cache has most of it.
        options += ["-DMAXLAT_WARNINGS_AS_ERRORS=ON", "-DMAXLAT_UNITY=ON"]
        log = logs / f"{preset}.configure.log"
        status, output = run("cmake", "--preset", preset, *options, cwd=tree)
        log.write_text(output)
        if status != 0:
            sys.exit(f"find_defects: {preset} cannot be configured, see {log}")


def try_all(chosen, tree, logs, jobs):
    """RETURNS: rows of the table, and how many were found."""
    rows, found = [], 0
    sound = set()  # tests that passed without a defect
    for entry in chosen:
        began = time.monotonic()
        print(f"== {entry['name']}: {entry['mended']} ==", flush=True)
        try:
            if why := stale(entry, tree):
                raise Wrong(why)
            trial = Trial(entry, tree, logs / f"{entry['name']}.log", jobs)
            key = (entry["preset"], entry["test"])
            if key not in sound:
                trial.check_sound()
                sound.add(key)
            trial.find()
            result, found = "found", found + 1
        except Wrong as why:
            result = f"NOT FOUND: {why}"
        rows.append((entry["name"], entry["preset"], entry["label"], entry["test"], result, round(time.monotonic() - began)))
        print(f"{result}, {rows[-1][-1]} s", flush=True)
    return rows, found


def print_table(rows):
    rows = [tuple(map(str, row)) for row in [("defect", "preset", "label", "test", "result", "seconds"), *rows]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    print()
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="tell the defects and change nothing")
    parser.add_argument("--work-dir", type=pathlib.Path, default=ROOT / "build" / "defects")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    chosen = entries(arguments.names)
    if arguments.list:
        reasons = [stale(entry, ROOT) for entry in chosen]
        for entry, why in zip(chosen, reasons):
            print(f"{entry['name']}  ({entry['preset']}, {entry['label']})\n    mended by {entry['mended']}\n"
                  f"    in {entry['file']}, found by {entry['test']}" + (f"\n    {why}" if why else ""))
        missing = [] if arguments.names else list(without(chosen))
        print(*missing, sep="\n", end="\n" if missing else "")
        return 1 if any(reasons) or missing else 0
    tree, logs = arguments.work_dir.resolve() / "tree", arguments.work_dir.resolve() / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    make_tree(tree)
    configure(chosen, tree, logs)
    rows, found = try_all(chosen, tree, logs, arguments.jobs)
    print_table(rows)
    print(f"{found} of {len(rows)} found; what was built and said is in {logs}")
    return 0 if found == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
