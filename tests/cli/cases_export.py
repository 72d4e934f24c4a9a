# SPDX-License-Identifier: MIT
"""maxlat export: mistakes. What it writes is looked at in check_exports.py."""
import pathlib

from run_cases import Case

TOP = pathlib.Path(__file__).resolve().parents[2]
FILE = TOP / "import/testdata/cyclictest-2.4.json"
RUNS = TOP / "docs/examples/gate"

CASES = [
    Case("an export without a format", "export x", 1, [r"\Amaxlat export: no format given\nhint: formats are rt-tests, "]),
    Case("an export to a format that is none", "export x --format xls", 1, [r'there is no format "xls"\nhint: formats are ']),
    Case("an export without a run", "export --format csv", 1, [r"\Amaxlat export: no run given\nhint: "]),
    Case("an export of no result", f"export {FILE} --format csv", 1, [r"\Amaxlat export: .*cyclictest-2.4.json"]),
    Case("an export of a folder of runs", f"export {RUNS} --format csv", 1,
         [r"\Amaxlat export: .* holds 3 runs, and this takes one run\nhint: name it: .*/bad\n\Z"]),
    Case("a path for an export is tried first", f"export {FILE} --format csv -o /nonexistent/x", 1, [r"cannot write /nonexistent/x"]),
]
