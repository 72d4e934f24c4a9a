# SPDX-License-Identifier: MIT
"""maxlat compare: recorded runs of docs/examples/gate, and mistakes. Its judgement is tested in reports/compare/."""
import pathlib

from run_cases import Case

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = ROOT / "docs/examples/gate"
BASE, GOOD, BAD = (f"{RUNS}/{name}" for name in ("baseline", "good", "bad"))
ONE_LINE = r"\Amaxlat compare: [^\n]+\nhint: [^\n]+\n\Z"

CASES = [
    Case("a bad run against a good one", f"compare {BASE} {BAD}", 0,
         [r"^ +figure +baseline +bad +against baseline$", r"^ +max .* 4\.07 ms +x [\d.]+, larger here$", r"^  - npt in bad: larger in these runs, .*max x "]),
    Case("eight seconds of one run do not decide", f"compare --fail-if-worse {BASE} {BAD}", 3, [r"larger in these runs"]),
    Case("a good run against another", f"compare --fail-if-worse {BASE} {GOOD}", 0, [r"^  - npt in good: "], [r"worse,", r"larger in"]),
    Case("the other way round", f"compare {BAD} {GOOD}", 0, [r"^  - npt in good: .*smaller in these runs, .*max x 0\.0"]),
    Case("three at once", f"compare {BASE} {GOOD} {BAD}", 0, [r"^ +figure +baseline +good +against baseline +bad +against baseline$"]),
    Case("a folder of runs is repeats", f"compare {BASE} {RUNS}", 0, [r" gate \(3 runs\) ", r"is also in baseline: a run does not repeat itself"]),
    Case("runs of one machine", f"compare {GOOD} {BASE}", 0, [r"\AMachine: no difference\n"]),
    Case("a phase that is not in both is no pass", f"compare --fail-if-worse {BASE} {{tmp}}/x.json", 1, [r"cannot read .*x\.json"]),
    Case("what is small is left out", f"compare --ratio 1000 --fail-if-worse {BASE} {BAD}", 0, [r"no difference is shown"]),
    Case("no run", "compare", 1, [ONE_LINE]),
    Case("one run", f"compare {BASE}", 1, [r"one run alone cannot be compared\nhint: "]),
    Case("a folder without runs", f"compare {BASE} {{tmp}}", 1, [r"holds no run\nhint: "]),
    Case("a ratio below 1", f"compare --ratio 0.5 {BASE} {BAD}", 1, [r"--ratio must be 1 or more\nhint: "]),
    Case("a ratio that is no number", f"compare --ratio nan {BASE} {BAD}", 1, [r"--ratio must be 1 or more\nhint: "]),
    Case("a page that cannot be written", f"compare {BASE} {BAD} -o {{tmp}}/no/such.html", 1, [ONE_LINE]),
    Case("a page in place of a run", f"compare {BASE} {BAD} -o {BASE}/result.json", 1, [r"is read, and would be overwritten\nhint: "]),
    Case("a page on standard output", f"compare {BASE} {BAD} -o -", 0, [r"\A<!DOCTYPE html>", r"<h2 class=\"verdict invalid\">Not decided</h2>", r"<svg "],
         [r"^Verdict$"], needs="gnuplot"),
    Case("a comparison to a full disk", f"compare {BASE} {BAD}", 1, [r"cannot write standard output"], stdout="/dev/full"),
]
