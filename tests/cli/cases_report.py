# SPDX-License-Identifier: MIT
"""maxlat report and maxlat gate: mistakes. What they make of a run is tested in reports/."""
import pathlib

from run_cases import Case

_GOOD = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/gate/good"
OVERWRITES = [
    (f"gate {_GOOD} --max 1s", f"--format junit={_GOOD}/result.json"),
    (f"gate {_GOOD} --file {_GOOD.parent}/box.toml", f"--format ktap={_GOOD.parent}/box.toml"),
    (f"gate {_GOOD} --max 1s --json {{tmp}}/a", "--format lava={tmp}/a"),
    (f"export {_GOOD} --format csv", f"-o {_GOOD}/result.json"),
    (f"report {_GOOD}", f"-o {_GOOD}/result.json"),
    (f"report --series {_GOOD.parent}", f"-o {_GOOD}/result.json"),
    (f"report --series {_GOOD.parent} --no-store --format md", f"-o {_GOOD}/result.json"),
    (f"report --series {_GOOD.parent} --store {{tmp}}/x --text", "-o {tmp}/x"),
    (f"plan-length {_GOOD}", f"--json {_GOOD}/result.json"),
]

CASES = [
    *[Case(f"{command} does not overwrite what it reads", f"{command} {target}", 1,
           [r"(is read, and would be overwritten|would be written twice)\nhint: "]) for command, target in OVERWRITES],
    Case("report without a run", "report", 1, [r"\Amaxlat report: no run given\nhint: "]),
    Case("report of nothing", "report {tmp}/no-such-run", 1, [r"\Amaxlat report: .*no-such-run.*\n"]),
    Case("report of a folder that is no run", "report /proc", 1, [r"\Amaxlat report: /proc has no result.json\nhint: "]),
    Case("report of an empty file", "report /dev/null", 1, [r"\Amaxlat report: .*/dev/null"]),
    Case("a series without a folder", "report --series", 1, [r"\Amaxlat report: --series needs a folder\nhint: "]),
    Case("a series of a folder that is not there", "report --series {tmp}/none", 1, [r"\Amaxlat report: cannot read .*none"]),
    Case("a series without a result", "report --series {tmp}", 1, [r"holds no result\nhint: "]),
    Case("a series of two folders", "report --series a b", 1, [r"one folder at a time, not 2\nhint: "]),
    Case("a store alone has no place for the page", "report --series --store {tmp}/none/x", 1, [r"a store has no folder for the page\nhint: name a file"]),
    Case("a series in a form that is none", f"report --series {_GOOD} --format doc", 1, [r"there is no \"doc\"\nhint: forms are html, "]),
    Case("a store of one run", f"report {_GOOD} --store {{tmp}}/x", 1, [r"--store is of --series\nhint: "]),
    Case("three runs in a store", f"report --series {_GOOD.parent} --store {{tmp}}/x --text", 0, [r"Series: 3 runs"]),
    Case("a run as Markdown", f"report {_GOOD} --format md", 0, [r"^## Latency: ", r"^\| npt \| ok \| 1 \|"]),
    Case("gate --phase without a limit", f"gate {_GOOD} --phase npt --file {_GOOD.parent}/box.toml", 1, [r"--phase chooses the phases of limits"]),
    Case("gate without a limit", f"gate {_GOOD}", 1, [r"\Amaxlat gate: no limit given, and the run has none of its own: there is nothing to judge by\nhint: "]),
    Case("gate of an empty file", "gate /dev/null --max 1s", 1, [r"\Amaxlat gate: .*/dev/null.*it is empty, or another kind of file\nhint: "]),
    Case("gate with a quantile that is none", "gate /dev/null --quantile q99=1us", 1, [r"\Amaxlat gate: --quantile q99: there is no such metric\nhint: metrics are max_ns, "]),
    Case("gate with a quantile above all", "gate /dev/null --quantile p101=1us", 1,
         [r"p101: there is no such metric\nhint: a quantile is above p0 and at most p100"]),
    Case("gate with a negative limit", "gate /dev/null --max -50us", 1, [r'--max: "-50us" is not a duration: it is negative']),
    Case("gate with a format that names no file", "gate /dev/null --max 1s --format junit=", 1, [r"--format junit= names no file\nhint: "]),
    Case("gate with a phase twice", f"gate {_GOOD} --phase npt --max 1s --phase npt", 1, [r"--phase npt is given twice\nhint: "]),
    Case("gate tells no verdict above an error", f"gate {_GOOD} --max 1s --json /nonexistent/x", 1, [r"cannot write"], [r"verdict"]),
    Case("a page is not narrower than its tables", f"report {_GOOD} --text --width 39", 1, [r"--width 39: from 40 columns on"]),
    Case("a store that is nearly an address", f"report --series {_GOOD.parent} --text --store postgresql:/bad", 1,
         [r"--store postgresql:/bad: no address of a server\nhint: write postgresql://"]),
    Case("gate with a quantile without its p", "gate /dev/null --quantile 50=1us", 1, [r"--quantile 50=1us: .*\nhint: write p50=1us\n"]),
    Case("gate of a folder without a result", "gate {tmp} --max 1s", 1, [r"has no result.json\nhint: a run writes it after its pre-flight"]),
    Case("gate with a bare number", "gate /dev/null --max 50", 1,
         [r'\Amaxlat gate: --max: "50" has no unit\nhint: write 50us, 50ms or 50s\n\Z']),
    Case("gate with a limit that is no time", "gate /dev/null --max fast", 1, [r"\Amaxlat gate: .*'?fast"]),
    Case("gate with a file that is not there", "gate /dev/null --file {tmp}/no.toml", 1, [r"\Amaxlat gate: .*no.toml"]),
    Case("gate with a file without a limit", "gate /dev/null --file /dev/null", 1,
         [r"\Amaxlat gate: /dev/null:1: the gate has no \[\[limits\]\] and no \[baseline\]\nhint: docs/gate.md"]),
    Case("gate in a form that is none", "gate /dev/null --max 1s --format xml", 1, [r'there is no "xml"\nhint: formats are junit, ']),
    Case("gate with two things for standard output", "gate /dev/null --max 1s --format ktap --json -", 1, [r"only one thing can be"]),
    Case("a path for a verdict is tried first", "gate /dev/null --max 1s --format junit=/nonexistent/x", 1, [r"cannot write /nonexistent/x"]),
]
