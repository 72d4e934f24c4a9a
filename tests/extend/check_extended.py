#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_extended.py MAXLAT_EXTENDED PEAK_PROGRAM: a row more in a table is all that it takes.

The program is maxlat with a load, an arm, a setting, a format to read, one to write, a kind of phase and a metric more, one
file and one row each, and a kind of sensor, with two. Lists and errors name them, and each does its work. PEAK_PROGRAM has
sensors of that kind.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EXTENDED, PEAK_PROGRAM = sys.argv[1:3]
LATENCIES = "# latencies in us, CPU 0\n12\n7\n7\n31\n"
PLAN = """name = "extended"
[[phase]]
name = "mine"
kind = "{kind}"
duration = "10s"
cpus = "0"
arguments = ["printf", {text}]
"""
failures = []


def maxlat(*arguments, status=0):
    """What the program wrote on standard output and error, together."""
    ended = subprocess.run([EXTENDED, *arguments], capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL)
    if ended.returncode != status:
        failures.append(f"{' '.join(arguments)}: exit status {ended.returncode}, expected {status}\n{ended.stdout}{ended.stderr}")
    return ended.stdout + ended.stderr


def expect(found, what):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        failures.append(what)


def the_only_phase(path):
    return json.loads(pathlib.Path(path).read_text())["phases"][0]


def load(folder):
    expect("\nyield " in maxlat("load", "--list"), "load --list names the load")
    expect(" network yield" in maxlat("load", "nosuch", status=1), "the error for an unknown load names it")
    result = f"{folder}/load.json"
    maxlat("load", "yield", "-a", "0", "-D", "1s", "-q", "--json", result)
    made = the_only_phase(result)["load"][0]
    expect(made["alive"] and made["unit"] == "yields/s" and max(made["progress"]) > 0, "the load runs and counts")


def arm(folder):
    expect("delay, count" in maxlat("npt", "--version"), "npt --version names the arm")
    expect("delay, count" in maxlat("npt", "--arm", "nosuch", status=1), "the error for an unknown arm names it")
    expect('no policy "timer"' in maxlat("npt", "--arm", "count:timer", status=1), "what the arm does not take is an error")
    result = f"{folder}/arm.json"
    maxlat("npt", "--arm", "count", "-a", "0", "-D", "300ms", "--rest", "0", "-q", "--json", result)
    phase = the_only_phase(result)
    events = phase.get("events", {})
    expect(phase["arm"] == "count" and events.get("recorded", 0) == events.get("produced") > 1000, "the arm counts every event")
    result = f"{folder}/compared.json"
    maxlat("npt", "--compare", "none,count", "--rounds", "1", "-a", "0", "-D", "50ms", "-q", "--json", result)
    arms = {phase["arm"] for phase in json.loads(pathlib.Path(result).read_text())["phases"]}
    expect({"none", "count"} <= arms, "the arm is compared")


def setting(folder):
    name, fix = "moving locked pages", "echo 0 > /proc/sys/vm/compact_unevictable_allowed"
    result = f"{folder}/check.json"
    text = maxlat("check", "-a", "0", "-v", "--json", result)
    expect(name in text and fix in text, "check tells the setting and its fix")
    expect(text.count("\nmemory\n") == 1, "its group is told once")
    run = json.loads(pathlib.Path(result).read_text())
    row = [row for row in run["preflight"] if row["setting"] == name]
    expect(len(row) == 1 and row[0]["fix"] == fix, "the JSON has it")
    there = pathlib.Path("/proc/sys/vm/compact_unevictable_allowed")
    if there.exists():
        expect(run["machine"]["settings"]["values"].get(name) == there.read_text().strip(), "the fingerprint has it")


def import_and_export(folder):
    expect("latencies        a number in each line" in maxlat("import", "--help"), "import --help names the format")
    file = pathlib.Path(folder) / "latencies.txt"
    file.write_text(LATENCIES)
    maxlat("import", str(file), "-o", f"{folder}/imported.json")
    cpu = the_only_phase(f"{folder}/imported.json")["per_cpu"][0]
    expect((cpu["samples"], cpu["min_ns"], cpu["max_ns"]) == (4, 7000, 31000), "a file is read")
    maxlat("gate", f"{folder}/imported.json", "--max", "31us")
    maxlat("gate", f"{folder}/imported.json", "--max", "30us", status=2)
    expect("\n  maxima " in maxlat("export", "--help"), "export --help names the format")
    expect("openmetrics, maxima" in maxlat("export", "--format", "nosuch", status=1), "the error for an unknown format names it")
    expect(maxlat("export", f"{folder}/imported.json", "--format", "maxima") == "latencies 0 31000\n", "the format is written")
    file.write_text(LATENCIES + "many\n")
    expect("it is not a whole number in each line" in maxlat("import", str(file), status=1), "a damaged file is refused")


def phase_kind(folder):
    plan = pathlib.Path(folder) / "plan.toml"
    plan.write_text(PLAN.format(kind="nosuch", text='""'))
    expect("npt or latencies" in maxlat("run", "--plan", str(plan), "--print-plan", status=1), "the error for an unknown kind names it")
    plan.write_text(PLAN.format(kind="latencies", text=json.dumps(LATENCIES)))
    run = f"{folder}/run"
    maxlat("run", "--plan", str(plan), "-o", run, "-q")
    phases = json.loads((pathlib.Path(run) / "result.json").read_text())["phases"]
    mine = [phase for phase in phases if phase["kind"] == "latencies"]
    expect(len(mine) == 1 and mine[0]["status"] == "ok" and mine[0]["per_cpu"][0]["max_ns"] == 31000, "the phase is run")
    page = (pathlib.Path(run) / "report.html").read_text()
    expect("latencies that another program prints" in page, "the report says what the kind means")
    maxlat("gate", f"{run}/result.json", "--max", "31us")
    plan.write_text(PLAN.format(kind="latencies", text='""'))
    maxlat("run", "--plan", str(plan), "-o", f"{folder}/empty", "-q", status=3)  # a program that prints nothing has not measured


def metric(folder):
    expect("--deviation TIME" in maxlat("gate", "--help"), "gate --help names the metric")
    file = pathlib.Path(folder) / "latencies.txt"
    file.write_text(LATENCIES)
    result = f"{folder}/imported.json"
    maxlat("import", str(file), "-o", result)
    maxlat("gate", result, "--deviation", "20us")
    expect("<= 5000 ns" in maxlat("gate", result, "--deviation", "5us", status=2), "gate judges by it")
    plan = pathlib.Path(folder) / "plan.toml"
    plan.write_text(PLAN.format(kind="latencies", text=json.dumps(LATENCIES)) + '[phase.limits]\ndeviation = "5us"\n')
    expect('"deviation_ns" = 5000' in maxlat("run", "--plan", str(plan), "-a", "0", "--print-plan"), "a plan may limit it")
    maxlat("run", "--plan", str(plan), "-o", f"{folder}/run", "-q", status=2)


def sensor_kind(_):
    with subprocess.Popen([PEAK_PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as oven:
        mine = f"peak_program#{oven.pid}/oven"

        def post(value):
            oven.stdin.write(f"{value}\n")
            oven.stdin.flush()
            return oven.stdout.readline() == "done\n"

        expect(all([post(7), post(42), post(9)]), "a program posts to sensors of the kind")
        listed = maxlat("sensors", "list", mine)
        expect(listed.count("  peak") == 2, "sensors list has its word")
        got = maxlat("sensors", "get", mine)
        expect(f"{mine}/heat  42.0 us at most, of 3\n" in got and f"{mine}/load  42 at most, of 3\n" in got, "sensors get shows it")
        heat = json.loads(maxlat("sensors", "get", "--json", f"{mine}/heat"))[0]
        expect(heat["kind"] == "peak" and heat["value"] == {"largest": 42, "count": 3, "limit": 50}, "so does its JSON")
        metrics = maxlat("sensors", "export", mine)
        labels = f'program="peak_program",pid="{oven.pid}",sensor="oven/heat"'
        expect(f"oven_heat_seconds{{{labels}}} 4.2e-05\n" in metrics, "a monitoring system is given its largest value")
        expect(f"oven_heat_posts_total{{{labels}}} 3\n" in metrics, "and how many there were")
        stats = json.loads(maxlat("sensors", "stats", "--json", "-D", "20ms", f"{mine}/heat"))[0]
        expect(stats["posts"] == 0 and stats["kind"] == "peak", "sensors stats counts its posts")
        maxlat("sensors", "check", f"{mine}/heat")
        judged = maxlat("sensors", "check", mine, status=2)
        expect("1 of 2 peaks are within their limits" in judged and f"{mine}/load: 42 at most" in judged, "sensors check judges it")
        plain = subprocess.run([os.environ["MAXLAT"], "sensors", "get", mine], capture_output=True, text=True, timeout=30)
        expect(plain.stdout.count("(of a later version of the tracer)") == 2, "to a maxlat without the row it is of a later version")
        oven.stdin.close()


def main():
    if os.geteuid() != 0:
        print("measuring needs root")
        return 77
    for part in (load, arm, setting, import_and_export, phase_kind, metric, sensor_kind):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    print("\n".join(f"# {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
