#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_labels.py CTEST BUILD_FOLDER: every test has one label, a known one, so that no selection by label loses a test;
and known-skips.txt names no test that is gone. (What it allows release alone may be a guest test, which is not in every
build folder; so it is looked for where there are guests.)"""
import json
import pathlib
import re
import subprocess
import sys

from labels import KNOWN

listed = subprocess.run([sys.argv[1], "--test-dir", sys.argv[2], "--show-only=json-v1"], capture_output=True, text=True, check=True)
tests = json.loads(listed.stdout)["tests"]
wrong = [] if tests else ["ctest has no tests"]
for test in tests:
    # A test program that is not built is listed by one stand-in that fails when it is run.
    if test["name"].endswith("_NOT_BUILT"):
        continue
    labels = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])
    if len(labels) != 1 or labels[0] not in KNOWN:
        wrong.append(f"{test['name']}: labels {labels}, not one of {sorted(KNOWN)}")
names = [test["name"] for test in tests]
names += sorted({name.rpartition(".")[0] for name in names})  # suites: the entries of a sanitizer's build
whole = not any(name.endswith("_NOT_BUILT") for name in names)
has_guests = any(name.startswith("guest.") for name in names)
for line in (pathlib.Path(__file__).parents[1] / "known-skips.txt").read_text().splitlines():
    if not line or line.startswith("#") or not whole:
        continue
    pattern = line.split()[1]
    if (has_guests or not pattern.startswith(r"guest\.")) and not any(re.fullmatch(pattern, name) for name in names):
        wrong.append(f"known-skips.txt: no test is named {pattern}")
print("\n".join(wrong) or f"{len(tests)} tests, every one with its label")
sys.exit(1 if wrong else 0)
