# SPDX-License-Identifier: MIT
"""maxlat check. What the settings are depends on the box; that each is there, and what is a mistake, does not."""
import json
import os
import subprocess

from run_cases import Case


def strict_status():
    """What --strict is to end with on this box, by the table itself."""
    told = subprocess.run([os.environ["MAXLAT"], "check", "-q", "--json", "-"], stdout=subprocess.PIPE, check=True)
    verdicts = {row["verdict"] for row in json.loads(told.stdout)["preflight"]}
    return 2 if "bad" in verdicts else 3 if "unknown" in verdicts else 0


CASES = [
    Case("--strict ends as the table does, for scripts", "check --strict -q", strict_status(), [r"\A\d+ settings: .*\n\Z"]),
    Case("every group is in the table", "check", 0,
         [r"^SETTING +OBSERVED +EXPECTED +VERDICT$", r"^kernel$", r"^isolation$", r"^interrupts$", r"^cpu$", r"^clock$",
          r"^memory$", r"^environment$", r"^  preemption model .*(ok|bad)$", r"^\d+ settings: \d+ ok, \d+ bad, \d+ unknown"],
         [r"\x1b"]),
    Case("-v gives the reason of every setting", "check -v", 0, [r"^  why  .", r"^swap: "]),
    Case("-q gives the counts only", "check -q", 0, [r"\A\d+ settings: .*\n\Z"]),
    Case("the CPUs can be chosen", "check -a 0", 0, [r"\Asettings for measuring CPU 0\n"]),
    Case("--fix is a script, and its last line counts", "check --fix -a 0", 0,
         [r"\A#!/bin/sh\n# what `maxlat shield on --cpus 0` would write\. Nothing has been written\.", r"\n# by hand:\n#   ",
          r"\n# \d+ files? to write, \d+ parameters? of the kernel, \d+ settings? by hand, \d+ not known\n\Z"],
         [r"(?m)^(?!#|echo [^ ;&|$`]+ > /(?:proc|sys)/[\w/.-]+  # was |$)"]),
    Case("--fix -q counts only", "check --fix -q", 0, [r"\A# \d+ files? to write, .*\n\Z"]),
    Case("JSON on standard output", "check -q --json -", 0, [r'"schema": "maxlat-result/1"', r'"preflight"']),
    Case("JSON in a file", "check -q --json {tmp}/check.json", 0, [r"\A\d+ settings: .*\n\Z"]),
    Case("JSON to a full disk", "check -q --json /dev/full", 1, [r"^maxlat check: .*\nhint: |^maxlat check: .*no space"]),
    Case("a CPU that does not exist", "check -a 60000", 1, [r"\Amaxlat check: CPU 60000 does not exist\nhint: this machine has"]),
    Case("rubbish for a CPU list", "check -a 3-1", 1, [r"\Amaxlat check: .*3-1.*\nhint: "]),
    Case("an operand is a mistake", "check now", 1, [r"\Amaxlat check: unexpected 'now'\nhint: "]),
]
