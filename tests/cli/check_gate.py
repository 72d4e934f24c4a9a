#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_gate.py EXAMPLE: `maxlat gate` on a recorded good and a recorded bad run, as a CI server meets it.

EXAMPLE is docs/examples/gate: a gate file, and two runs of one box; docs/examples/ci is beside it. Exit statuses, JUnit by
its schema (junit.xsd), the other formats by their grammar, and what a damaged or unfit file does.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

MAXLAT = os.environ["MAXLAT"]
SCHEMA = pathlib.Path(__file__).with_name("junit.xsd")
HOSTILE = 'npt "><script>alert(1)</script> ]]> & # SKIP %0A\x01\n::error::'
failures = []


def maxlat(*arguments, status):
    ended = subprocess.run([MAXLAT, *map(str, arguments)], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    text = (ended.stdout + ended.stderr).decode()
    expect(ended.returncode == status, f"{' '.join(map(str, arguments))}: exit status {status}", f"{ended.returncode}: {text}")
    return text


def expect(holds, what, seen=""):
    print(f"{'ok' if holds else 'not ok'} - {what}")
    if not holds:
        failures.append(f"{what}: {seen}")


def junit(path):
    """The testcases of a report that is valid by its schema and whose counts add up: [(class, name, kind or None)]."""
    command = ["xmllint", "--noout", "--nonet", "--schema", SCHEMA, path]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=60)
    expect(checked.returncode == 0, f"{path.name} is valid by {SCHEMA.name}", checked.stderr)
    root = xml.etree.ElementTree.parse(path).getroot()
    suite = root[0]
    cases = []
    for case in suite.iter("testcase"):
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        cases.append((case.get("classname"), case.get("name"), kinds[0] if kinds else None))
    counted = {"tests": len(cases)}
    for attribute, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counted[attribute] = sum(case[2] == kind for case in cases)
    for level, attributes in ((root, ("tests", "failures", "errors")), (suite, counted)):
        for attribute in attributes:
            expect(level.get(attribute) == str(counted[attribute]), f"{level.tag} counts its {attribute}")
    return cases


def results(cases):
    return [kind for _, _, kind in cases]


def good_and_bad(example, folder):
    gate = example / "box.toml"
    report = folder / "gate.xml"
    maxlat("gate", example / "good", "--file", gate, "--format", f"junit={report}", status=0)
    expect(not set(results(junit(report))) & {"failure", "error"}, "JUnit of the good run has no failure")
    text = maxlat("gate", example / "bad", "--file", gate, "--format", f"junit={report}", status=2)
    expect("verdict: fail" in text, "the table is printed beside the file")
    shown = text.partition("NOT COMPARABLE")[0].rstrip()
    expect(shown in (example.parents[1] / "gate.md").read_text(), "docs/gate.md shows what the bad run gives", shown)
    failed = [line.split("  ")[0] for line in text.splitlines() if line.endswith("  fail")]
    said = [text.count(f"\n  - limit exceeded: {rule} is ") for rule in failed]
    expect(len(failed) == 3 and set(said) == {1}, "each failure stands whole below the table, once", (failed, said))
    cases = junit(report)
    expect(("npt", "max_ns", "failure") in cases, "JUnit of the bad run has the failure", cases)
    expect(("run", "is valid", None) in cases, "and says that the run was valid", cases)


def other_formats(example):
    bad, gate = example / "bad", example / "box.toml"
    lines = maxlat("gate", bad, "--file", gate, "--format", "ktap", status=2).splitlines()
    expect(lines[0] == "KTAP version 1", "KTAP begins with its version")
    tests = [match for line in lines if (match := re.fullmatch(r"(not ok|ok) (\d+) [^#]*(?: # (?:XFAIL|ERROR) .*)?", line))]
    planned = next(int(line[3:]) for line in lines if line.startswith("1.."))
    expect([int(test[2]) for test in tests] == list(range(1, planned + 1)), "KTAP has the tests that it planned")
    expect(any(test[1] == "not ok" for test in tests), "and one is not ok")
    signal = r"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=([\w.-]+) RESULT=(pass|fail|skip|unknown)(?: MEASUREMENT=[-\d.]+(?: UNITS=\w+)?)?>"
    lines = maxlat("gate", bad, "--file", gate, "--format", "lava", status=2).splitlines()
    signals = [re.fullmatch(signal, line) for line in lines]
    expect(all(signals) and len({match[1] for match in signals}) == len(signals), "LAVA has a signal for each rule", lines)
    lines = maxlat("gate", bad, "--file", gate, "--format", "github", status=2).splitlines()
    expect(all(re.fullmatch(r"::(error|warning|notice) title=[^:,\n]*::.*", line) for line in lines), "GitHub has annotations", lines)


def hostile_names(example, folder):
    run = json.loads((example / "bad/result.json").read_text())
    for phase in run["phases"]:
        if phase["name"] == "npt":
            phase["name"] = HOSTILE
    run["run"]["label"] = "<b>]]></b>"
    file, report = folder / "hostile.json", folder / "hostile.xml"
    file.write_text(json.dumps(run))
    maxlat("gate", file, "--max", "1ns", "--format", f"junit={report}", status=2)
    expect(any("<script>" in case[0] for case in junit(report)), "a hostile name is text, and no markup")
    lines = maxlat("gate", file, "--max", "1ns", "--format", "github", status=2).splitlines()
    expect(all(line.startswith(("::error title=", "::notice title=")) for line in lines), "and no command of its own", lines)
    text = maxlat("gate", file, "--max", "1ns", "--format", "ktap", status=2)
    expect(len(re.findall(r"^not ok 1 .* \\# SKIP", text, re.M)) == 1, "and no directive", text)


def waivers(example, folder):
    text = (example / "box.toml").read_text()
    gate, report = folder / "gate.toml", folder / "gate.xml"
    waiver = '[[waiver]]\nphase = "npt"\nlimit = "max"\nreason = "ticket 4711"\nuntil = {}\n'
    names = sorted(set(re.findall(r"^runs = \"(.*)\"$", text, re.M)))
    text = text.replace(f'runs = "{names[0]}"', f'runs = "{example / names[0]}"')
    others = "".join(waiver.replace('"max"', f'"{limit}"').format("2999-01-01") for limit in ("above_500us_per_h",))
    gate.write_text(text + waiver.format("2999-01-01") + others)
    maxlat("gate", example / "bad", "--file", gate, "--format", f"junit={report}", status=0)
    expect("skipped" in results(junit(report)), "a waived failure is skipped")
    gate.write_text(text + waiver.format("2999-01-01") + 'up_to = "4ms"\n' + others)
    told = maxlat("gate", example / "bad", "--file", gate, status=2)
    expect("a waiver counts up to 4000000 ns (4.00 ms) only" in told, "a waiver for less than what was seen is named", told)
    gate.write_text(text + waiver.format("2020-01-01") + others)
    told = maxlat("gate", example / "bad", "--file", gate, status=2)
    expect("a waiver ended on 2020-01-01 and counts no more" in told, "a waiver that has ended is named", told)


def baselines(example, folder):
    (folder / "other").mkdir()
    run = json.loads((example / "good/result.json").read_text())
    run["run"]["id"] = "another"
    run["machine"]["cpu"]["values"]["model name"] = "Another CPU"
    (folder / "other/result.json").write_text(json.dumps(run))
    gate = folder / "baseline.toml"
    gate.write_text('[baseline]\nruns = "other"\n[baseline.ratio]\nmax = 2\n')
    told = maxlat("gate", example / "good", "--file", gate, status=3)
    expect("other: another machine or setting: cpu: model name is" in told, "a baseline of another machine is told", told)
    gate.write_text('[baseline]\nruns = "nowhere"\n[baseline.ratio]\nmax = 2\n')
    maxlat("gate", example / "good", "--file", gate, status=1)


def unfit_files(example, folder):
    gate = folder / "damaged.toml"
    gate.write_text('[[limits]]\nmax = "50us\n')
    told = maxlat("gate", example / "good", "--file", gate, status=1)
    expect(re.match(rf"maxlat gate: {gate}:2: .*\nhint: docs/gate.md", told), "a damaged gate is one line with its number", told)
    whole = (example / "good/result.json").read_bytes()
    half = folder / "half.json"
    half.write_bytes(whole[: len(whole) // 2])
    maxlat("gate", half, "--file", example / "box.toml", status=1)
    run = json.loads(whole)
    run["phases"] = [phase for phase in run["phases"] if phase["name"] != "npt"]
    half.write_text(json.dumps(run))
    told = maxlat("gate", half, "--file", example / "box.toml", status=3)
    expect("no such phase in the run" in told, "a phase that is missing is no pass", told)


def imported_run(example, folder):
    """Another tool's file tells no time: the report of its run is valid all the same."""
    result, report = folder / "imported.json", folder / "imported.xml"
    maxlat("import", example.parents[2] / "import/testdata/cyclictest-2.4-histogram.txt", "-o", result, status=0)
    maxlat("gate", result, "--max", "1s", "--format", f"junit={report}", status=0)
    expect(len(junit(report)) == 2, "JUnit of an imported run has its rule and the whole")


def steps_of(pipeline):
    """The shell commands of a pipeline of GitHub Actions, GitLab or LAVA, as its server reads them."""
    if "jobs" in pipeline:
        return [step["run"] for job in pipeline["jobs"].values() for step in job["steps"] if "run" in step]
    if "run" in pipeline:
        return pipeline["run"]["steps"]
    return [command for job in pipeline.values() if "script" in job for command in job["script"]]


def pipelines(folder):
    """The CI examples are YAML whose steps are commands, with options that there are; for the three systems that are promised."""
    there = sorted(file.stem for file in folder.iterdir())
    expect(there == ["github", "gitlab", "lava"], "there is a pipeline for GitHub, GitLab and LAVA", there)
    for file in sorted(folder.iterdir()):
        steps = steps_of(yaml.safe_load(file.read_text()))
        expect(all(isinstance(step, str) for step in steps), f"{file.name}: each step is a command", steps)
        commands = re.findall(r"maxlat (run|gate) ([^|\n]*)", "\n".join(map(str, steps)))
        expect({command for command, _ in commands} == {"run", "gate"}, f"{file.name} measures and judges", commands)
        for command, arguments in commands:
            known = maxlat(command, "--help", status=0)
            for option in re.findall(r"--[a-z-]+", arguments):
                expect(f"{option} " in known or f"{option}\n" in known, f"{file.name}: maxlat {command} has {option}")


def first_gate(root, folder):
    """README's first gate, on the quick run of a stock box: what each line ends with, it says. The tracers' arms, LTTng's too, are
    not judged with the box, whatever became of them."""
    section = (root / "README.md").read_text().partition("## The first gate")[2].partition("\n## ")[0]
    lines = re.findall(r"^    maxlat (gate) maxlat-run-DATE ([^#\n]*)#.*: status (\d)$", section, re.M)
    expect(sorted(status for _, _, status in lines) == ["0", "2"], "README has a gate that passes and one that fails", lines)
    stock = json.loads((root / "docs/examples/quick/result.json").read_text())
    arms = [phase for phase in stock["phases"] if phase.get("arm", "").startswith("lttng-ust")]
    expect(bool(arms), "the quick run has an arm of LTTng's")
    for name, change in (("as it was", {}), ("with an arm not valid", {"status": "invalid", "reason": "events were lost"})):
        run = folder / name.replace(" ", "-")
        run.mkdir()
        for arm in arms:
            arm.update(change)
            for cpu in arm["per_cpu"] if change else ():
                cpu["max_ns"] = cpu["histogram"]["bins"][-1][1] = 3e9
        (run / "result.json").write_text(json.dumps(stock))
        for command, options, status in lines:
            text = maxlat(command, run, *options.split(), status=int(status))
            about = [line for line in text.splitlines() if "lttng" in line or "tracers" in line]
            warned = all("warning" in line for line in about)
            expect(warned and bool(about) == bool(change), f"{options.strip()}, {name}: an arm of a tracer is not judged, "
                   "and where it is not valid, that is told", text)


def names_are_whole(example):
    """A defect: the example's host was called vm, and vm/swappiness had become redacted/swappiness."""
    for path in sorted(example.glob("*/result.json")):
        machine = json.loads(path.read_text())["machine"]
        names = [name for group in machine.values() for name in group["values"]]
        expect("vm/swappiness" in names and not any("redacted" in name for name in names),
               f"{path.parent.name}: settings have their own names", names)


def main(example):
    names_are_whole(example)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        good_and_bad(example, folder)
        other_formats(example)
        hostile_names(example, folder)
        waivers(example, folder)
        baselines(example, folder)
        unfit_files(example, folder)
        first_gate(example.parents[2], folder)
        imported_run(example, folder)
    pipelines(example.parent / "ci")
    print("\n".join(f"# {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
