# SPDX-License-Identifier: MIT
"""maxlat import: a file of each format, and mistakes."""
import pathlib

from run_cases import Case

DATA = pathlib.Path(__file__).resolve().parents[2] / "import/testdata"
FILE = DATA / "cyclictest-2.4.json"
HIST = DATA / "ftrace-6.1-hist-buckets.txt"

CASES = [
    Case("a file of cyclictest", f"import {FILE}", 0, [r'"schema": "maxlat-result/1"', r'"max_ns": 171000', r'"kind": "cyclictest"']),
    Case("a text of cyclictest", f"import {DATA}/cyclictest-2.4-histogram.txt", 0, [r'"samples": 500,']),
    Case("samples of cyclictest", f"import {DATA}/cyclictest-2.4-verbose.txt", 0, [r'"samples": 40,']),
    Case("samples of cyclictest -N", f"import --unit ns {DATA}/cyclictest-2.4-verbose.txt", 0, [r'"max_ns": 30,']),
    Case("a file of oslat", f"import {DATA}/oslat-2.4.json", 0, [r'"max_ns": 8054000']),
    Case("a text of oslat", f"import {DATA}/oslat-2.4.txt", 0, [r'"made by": "oslat 2.40"']),
    Case("a text of hackbench", f"import {DATA}/hackbench-2.4.txt", 0, [r'"unit": "messages/s"']),
    Case("a text of hwlatdetect", f"import {DATA}/hwlatdetect-0.8.txt", 0, [r'"kind": "hwlat"', r'"max_ns": 212000']),
    Case("a table of rtla", f"import {DATA}/rtla-timerlat.txt", 0, [r'"name": "timerlat: thread"']),
    Case("a file of jitterdebugger", f"import {DATA}/jitterdebugger-0.3.1.json", 0, [r'"max_ns": 54231000']),
    Case("a raw file of sysjitter", f"import {DATA}/sysjitter-raw.txt", 0, [r'"max_ns": 9000']),
    Case("a summary of rteval", f"import {DATA}/rteval-summary.xml", 0, [r'"made by": "rteval 3.8"']),
    Case("a histogram of ftrace", f"import --unit us {HIST}", 0, [r'"kind": "imported"', r'"max_ns": 39700000']),
    Case("a histogram of ftrace without its unit", f"import {HIST}", 1, [r"does not tell its unit\nhint: --unit ns, or --unit us"]),
    Case("a unit that is none", f"import --unit ms {HIST}", 1, [r'\Amaxlat import: there is no unit "ms"\nhint: --unit takes ns or us']),
    Case("an import without a file", "import", 1, [r"\Amaxlat import: no file given\nhint: "]),
    Case("an import of two files", f"import {FILE} {FILE}", 1, [r"\Amaxlat import: more than one file given\nhint: "]),
    Case("an import of nothing", "import {tmp}/none", 1, [r"\Amaxlat import: cannot read .*/none: no such file or directory"]),
    Case("an import of an empty file", "import /dev/null", 1, [r"\Amaxlat import: /dev/null: it is empty\nhint: formats are "]),
    Case("an import of another format", f"import {__file__}", 1, [r"\Amaxlat import: .*: it is of no format that maxlat knows\nhint: "]),
    Case("an import with a format that is none", f"import --format nosuch {FILE}", 1,
         [r'there is no format "nosuch"\nhint: formats are cyclictest-json, cyclictest, .*ftrace-hist\n\Z']),
    Case("an import with a format that is another", f"import --format sysjitter {FILE}", 1, [r": line 1: '\{' is no interruption of sysjitter"]),
    Case("a path for an import is tried first", f"import {FILE} -o /nonexistent/x", 1, [r"\Amaxlat import: cannot write /nonexistent/x"]),
]
