#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run_cases.py TABLE: runs the command lines of a table (CASES, a list of Case) and prints TAP.

The program is $MAXLAT. A case whose `needs` is not there (a program in PATH, "root", "not root") is skipped by name.
"""
import dataclasses
import os
import pathlib
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile


@dataclasses.dataclass
class Case:
    name: str
    arguments: str  # as in a shell; {tmp} is an empty folder of the case's own
    status: int
    match: list = dataclasses.field(default_factory=list)  # regular expressions over stdout and stderr together
    no_match: list = dataclasses.field(default_factory=list)
    program: str = ""  # name to call maxlat by: "npt"
    stdout: str = ""  # a file to write to instead: "/dev/full"
    needs: str = ""
    timeout: int = 30


def missing(needs):
    if needs in ("root", "not root"):
        return (os.geteuid() == 0) != (needs == "root")
    return bool(needs) and shutil.which(needs) is None


def run(case, folder):
    program = os.environ["MAXLAT"]
    if case.program:
        link = pathlib.Path(folder) / case.program
        link.symlink_to(program)
        program = str(link)
    command = [program] + shlex.split(case.arguments.replace("{tmp}", folder))
    with open(case.stdout or os.devnull, "w") as sink:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sink if case.stdout else subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=case.timeout, cwd=folder)
    return ended.returncode, ((ended.stdout or b"") + ended.stderr).decode(errors="replace")


def failures(case, status, output):
    if status != case.status:
        yield f"exit status {status}, expected {case.status}"
    for pattern in case.match:
        if not re.search(pattern, output, re.MULTILINE):
            yield f"no match for {pattern}"
    for pattern in case.no_match:
        if re.search(pattern, output, re.MULTILINE):
            yield f"unwanted match for {pattern}"


def run_all(cases):
    """Runs cases, prints TAP, returns whether all passed."""
    print(f"1..{len(cases)}")
    failed = 0
    for number, case in enumerate(cases, 1):
        if missing(case.needs):
            print(f"ok {number} - {case.name} # SKIP needs {case.needs}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                status, output = run(case, folder)
                wrong = list(failures(case, status, output))
            except subprocess.TimeoutExpired:
                output, wrong = "", [f"no end after {case.timeout} s"]
        print(f"{'not ok' if wrong else 'ok'} {number} - {case.name}")
        if wrong:
            failed += 1
            for line in wrong + [f"$ maxlat {case.arguments}"] + output.splitlines()[:60]:
                print(f"#   {line}")
    return failed == 0 and bool(cases)


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    sys.modules.setdefault("run_cases", sys.modules["__main__"])  # tables import Case from here
    sys.exit(0 if run_all(runpy.run_path(sys.argv[1])["CASES"]) else 1)
