# SPDX-License-Identifier: MIT
"""maxlat import: a real file of cyclictest, and mistakes."""
import pathlib

from run_cases import Case

FILE = pathlib.Path(__file__).resolve().parents[2] / "import/testdata/cyclictest-2.4.json"

CASES = [
    Case("a file of cyclictest", f"import {FILE}", 0, [r'"schema": "maxlat-result/1"', r'"max_ns": 171000', r'"kind": "cyclictest"']),
    Case("an import without a file", "import", 1, [r"\Amaxlat import: no file given\nhint: "]),
    Case("an import of two files", f"import {FILE} {FILE}", 1, [r"\Amaxlat import: more than one file given\nhint: "]),
    Case("an import of nothing", "import {tmp}/none", 1, [r"\Amaxlat import: cannot read .*/none: no such file or directory"]),
    Case("an import of an empty file", "import /dev/null", 1, [r"\Amaxlat import: /dev/null: it is empty\nhint: formats are "]),
    Case("an import of another format", f"import {__file__}", 1, [r"\Amaxlat import: .*: it is of no format that maxlat knows\nhint: "]),
    Case("an import with a format that is none", f"import --format oslat {FILE}", 1, [r'there is no format "oslat"\nhint: formats are cyclictest-json']),
    Case("a path for an import is tried first", f"import {FILE} -o /nonexistent/x", 1, [r"\Amaxlat import: cannot write /nonexistent/x"]),
]
