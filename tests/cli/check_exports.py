#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_exports.py DATA: what `maxlat export` writes is of its format, whatever stands in names; and nothing is lost on the way.

DATA is import/testdata. Held against the grammar and the rules of OpenMetrics 1.0, Python's readers of XML, JSON and CSV, and
our own importer.
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

MAXLAT = os.environ["MAXLAT"]
HOSTILE = '=1+1 "x\\"} 1\n# EOF <script>alert(1)</script> ]]> &\x01'
failures = []


def maxlat(*arguments, status=0):
    ended = subprocess.run([MAXLAT, *map(str, arguments)], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    expect(ended.returncode == status, f"{' '.join(map(str, arguments))}: exit status {status}")
    return (ended.stdout + ended.stderr).decode()


def expect(holds, what):
    print(f"{'ok' if holds else 'not ok'} - {what}")
    if not holds:
        failures.append(what)


NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
NUMBER = r"(?:[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|Inf)|NaN)"
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? ({NUMBER})")
META = re.compile(rf"# (TYPE|UNIT|HELP) ({NAME}) (.*)")
SUFFIXES = {"gauge": {""}, "counter": {"_total"}, "info": {"_info"}, "stateset": {""}, "histogram": {"_bucket", "_count", "_sum"}}


def open_metrics(text):
    """The samples, by family: [(suffix, {label: value}, number)]. What breaks a rule is a failure."""
    expect(text.endswith("\n# EOF\n") and text.count("# EOF\n") == text.count("\n# EOF\n") == 1, "EOF is the last line, and once")
    families, kinds, current = {}, {}, None
    for line in text.splitlines()[:-1]:
        if meta := META.fullmatch(line):
            what, name, rest = meta.groups()
            if what == "TYPE":
                expect(name not in kinds, f"{name} is one family")
                kinds[name], families[name], current = rest, [], name
            if name != current or families[name]:
                failures.append(f"{line}: out of its place")
            if what == "UNIT" and not name.endswith("_" + rest):
                failures.append(f"{line}: the name does not end in the unit")
            continue
        sample = SAMPLE.fullmatch(line)
        if not sample or not sample[1].startswith(current) or sample[1][len(current):] not in SUFFIXES[kinds[current]]:
            failures.append(f"no sample of {current}: {line}")
            continue
        labels = dict(re.findall(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"', sample[2] or ""))
        families[current].append((sample[1][len(current):], labels, float(sample[3])))
    for name, samples in families.items():
        keys = [(suffix, tuple(sorted(labels.items()))) for suffix, labels, _ in samples]
        expect(len(set(keys)) == len(keys), f"{name}: no sample twice")
        if kinds[name] == "histogram":
            check_histograms(name, samples)
    return families


def check_histograms(name, samples):
    by_labels = {}
    for suffix, labels, number in samples:
        bound = labels.pop("le", None)
        by_labels.setdefault(tuple(sorted(labels.items())), {}).setdefault(suffix, []).append((bound, number))
    for parts in by_labels.values():
        counts = [number for _, number in parts["_bucket"]]
        bounds = [float(bound) for bound, _ in parts["_bucket"]]
        expect(counts == sorted(counts) and bounds == sorted(bounds), f"{name}: its buckets ascend")
        expect(bounds[-1] == float("inf") and counts[-1] == parts["_count"][0][1], f"{name}: the last bucket is the count")


def same_threads(data, folder):
    """A file of cyclictest through us and back again."""
    result, again = folder / "c.json", folder / "again.json"
    source = json.loads((data / "cyclictest-2.4.json").read_text())
    maxlat("import", data / "cyclictest-2.4.json", "-o", result)
    maxlat("export", result, "--format", "rt-tests", "-o", again)
    written = json.loads(again.read_text())
    for number, thread in source["thread"].items():
        expect(all(written["thread"][number][key] == value for key, value in thread.items()), f"rt-tests: thread {number} is the same")
    expect(written["cmdline:"] == source["cmdline:"], "rt-tests: the command is the same")
    expect(figures_of(maxlat("import", again)) == figures_of(maxlat("import", data / "cyclictest-2.4.json")),
           "rt-tests: read back it is the same")
    for name in ("cyclictest-2.4.json", "rteval-summary.xml"):
        maxlat("import", data / name, "-o", result)
        maxlat("export", result, "--format", "rteval", "-o", folder / "summary.xml")
        expect(figures_of(maxlat("import", folder / "summary.xml")) == figures_of(result.read_text()),
               f"rteval: read back, each core of {name} is the same")


def figures_of(result):
    return [{key: cpu[key] for key in ("cpu", "samples", "min_ns", "max_ns", "mean_ns", "histogram")}
            for cpu in json.loads(result)["phases"][0]["per_cpu"]]


def hostile_result(data, folder):
    """A result whose texts try to leave their places."""
    maxlat("import", data / "rtla-timerlat.txt", "-o", folder / "h.json")
    run = json.loads((folder / "h.json").read_text())
    run["run"]["label"] = "box\n# EOF\"} 17"
    for number, phase in enumerate(run["phases"]):
        phase.update(name=f"{HOSTILE} {number}", command=HOSTILE, arm=HOSTILE)
    # No newline at the end: so a result says that it is whole.
    (folder / "h.json").write_text(json.dumps(run))
    return folder / "h.json"


def inert(data, folder):
    result = hostile_result(data, folder)
    families = open_metrics(maxlat("export", result, "--format", "openmetrics"))
    expect(len(families["maxlat_latency_max_seconds"]) == 6, "OpenMetrics: two CPUs of three phases")
    expect(max(number for _, _, number in families["maxlat_latency_max_seconds"]) == 124e-6, "OpenMetrics: the maximum, in seconds")
    root = xml.etree.ElementTree.fromstring(maxlat("export", result, "--format", "rteval"))
    expect(len(root.findall(".//core")) == 6 and root.find(".//script") is None, "XML: six cores and no element from a name")
    rows = list(csv.DictReader(io.StringIO(maxlat("export", result, "--format", "csv"), newline="")))
    expect(len(rows) == 6 and all(row["phase"].startswith("'=1+1 ") for row in rows), "CSV: six lines, and no formula")
    expect(rows[2]["max_ns"] == "21000.000", "CSV: the maximum")
    maxlat("export", result, "--format", "rt-tests", status=1)
    page = folder / "page.html"
    maxlat("report", result, "-o", page)
    expect("<script>alert" not in page.read_text() and "alert(1)" in page.read_text(), "the page shows the names, and runs none")


def inert_imports(data, folder):
    """Script in what other tools wrote of host and command, and what a terminal would obey."""
    text = (data / "cyclictest-2.4.json").read_text().replace("cyclictest -m", "cyclictest <script>alert(1)</script> \\u001b[2J -m")
    (folder / "i.txt").write_text(text.replace('"vm"', '"<img src=x onerror=alert(2)>"'))
    maxlat("import", folder / "i.txt", "-o", folder / "i.json")
    maxlat("report", folder / "i.json", "-o", folder / "i.html")
    page = (folder / "i.html").read_text()
    expect("<script>alert" not in page and "alert(1)" in page, "a command of another tool is shown, and does not run")
    expect("onerror" not in page + (folder / "i.json").read_text(), "the host's name is left out")
    expect("\033" not in maxlat("report", folder / "i.json", "--text"), "no terminal obeys it")


def unknown_is_absent(data, folder):
    """cyclictest's last line tells no deviation: none is written, and not 0."""
    result = folder / "summary.json"
    maxlat("import", data / "cyclictest-2.4-summary.txt", "-o", result)
    rows = list(csv.DictReader(io.StringIO(maxlat("export", result, "--format", "csv"))))
    expect(rows and all(row["stddev_ns"] == "" and row["mean_ns"] for row in rows), "an unknown deviation is an empty field")
    expect("<mean" in (text := maxlat("export", result, "--format", "rteval")) and "standard_deviation" not in text,
           "an unknown deviation is no element")


def unfit_and_bound(data, folder):
    """A phase whose load died is not valid, whatever its status; figures that are an upper bound say so."""
    result = folder / "fit.json"
    maxlat("import", data / "cyclictest-2.4.json", "-o", result)
    run = json.loads(result.read_text())
    phase = run["phases"][0]
    phase["facts"]["bound"] = "upper bound: interrupts and scheduling are included"
    result.write_text(json.dumps(run))
    families = open_metrics(maxlat("export", result, "--format", "openmetrics"))
    expect(all(labels.get("bound") == "upper" for _, labels, _ in families["maxlat_latency_max_seconds"]),
           "OpenMetrics: an upper bound is labelled as one")
    rows = list(csv.DictReader(io.StringIO(maxlat("export", result, "--format", "csv"), newline="")))
    expect(rows and all(row["bound"] == "upper" for row in rows), "CSV: an upper bound is told in its column")
    phase["load"] = [{"name": "hackbench", "kind": "hackbench", "unit": "rounds/s", "alive": False, "reason": "exit status 1",
                      "progress": [1]}]
    result.write_text(json.dumps(run))
    families = open_metrics(maxlat("export", result, "--format", "openmetrics"))
    expect([number for _, _, number in families["maxlat_phase_valid"]] == [0], "OpenMetrics: with a dead load it is not valid")
    expect(not families.get("maxlat_latency_max_seconds"), "OpenMetrics: and has no figures")


def main(data):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        same_threads(data, folder)
        inert(data, folder)
        inert_imports(data, folder)
        unknown_is_absent(data, folder)
        unfit_and_bound(data, folder)
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
