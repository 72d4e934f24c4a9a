#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run_faults.py CASE: what `maxlat run` does when it is killed, interrupted, or not given what it needs.

The program is $MAXLAT. Nothing here looks at a latency: this machine may be noisy, so a phase may be invalid for honest
reasons. What must hold is what is on disk, what is said, and the exit status.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from who_had_the_time import check_latest_wakeups, check_told, check_who_had_the_time, is_recorded

MAXLAT = os.environ["MAXLAT"]
PLAN = """
name = "faults"
[[phase]]
name = "control"
kind = "control"
meters = ["npt"]
[phase.stalls]
lengths = ["1ms"]
repeats = 2
[[phase]]
name = "hwlat"
kind = "hwlat"
duration = "2s"
arguments = ["--backend", "loop"]
[[phase]]
name = "cyclictest"
kind = "cyclictest"
duration = "2s"
[[phase]]
name = "npt"
kind = "npt"
duration = "2s"
loads = ["cpu"]
"""
STEPS = ["control (npt)", "hwlat", "cyclictest", "npt"]
ALL = ["preflight", *STEPS, "preflight at the end"]
LONG = 90  # seconds: more than anything here takes, also on a loaded machine


class Skip(Exception):
    """This case cannot run here."""


def wait_for(condition, what):
    """Polls; a condition and never a sleep decides."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"waited {LONG} s for {what}")


def stored(run):
    """result.json, which is whole at any moment or not there yet."""
    try:
        return json.loads((run / "result.json").read_text())
    except FileNotFoundError:
        return None


def names(run):
    result = stored(run)
    return [phase["name"] for phase in result["phases"]] if result else []


def phase(run, name):
    return next(p for p in stored(run)["phases"] if p["name"] == name)


def children(pid):
    try:
        return [int(p) for t in os.listdir(f"/proc/{pid}/task") for p in
                pathlib.Path(f"/proc/{pid}/task/{t}/children").read_text().split()]
    except OSError:
        return []


def runs(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def start(folder, run, plan=PLAN, environment=None, wrap=(), options=()):
    plan_file = folder / "plan.toml"
    plan_file.write_text(plan)
    return subprocess.Popen([*wrap, MAXLAT, "run", "--plan", str(plan_file), "-o", str(run), *options], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})})


def finish(process):
    output, _ = process.communicate(timeout=LONG)
    return process.returncode, output


def wait_until_in(process, run, step):
    """The steps before `step` are on disk and its own processes run."""
    before = ["preflight", *STEPS[: STEPS.index(step)]]
    wait_for(lambda: process.poll() is not None or (names(run) == before and children(process.pid)), f"step {step}")
    assert process.poll() is None, f"the run ended before step {step}: {process.stdout.read()}"
    return before


def resume(run):
    ended = subprocess.run([MAXLAT, "run", "--resume", str(run)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=LONG)
    output = ended.stdout + ended.stderr
    assert ended.returncode in (0, 3), (ended.returncode, output)  # 3: a phase was invalid, as a noisy machine's may be
    assert names(run) == ALL, names(run)
    assert stored(run)["run"]["status"] == "complete"
    assert ended.stdout.rstrip().splitlines()[-1].startswith(("report: ", "result: ")), output


def check_kept(run, before, started):
    for name in before:
        if name != "preflight" and started[name]["status"] in ("ok", "skipped"):
            assert phase(run, name)["started"] == started[name]["started"], f"'{name}' was measured again"


def killed_in(folder, step):
    run = folder / "run"
    process = start(folder, run)
    before = wait_until_in(process, run, step)
    under_it = children(process.pid)
    process.kill()
    process.wait()
    started = {name: phase(run, name) for name in before}
    assert stored(run)["run"]["status"] == "running"
    assert stored(run)["verdict"]["result"] == "invalid", stored(run)["verdict"]
    wait_for(lambda: not any(runs(pid) for pid in under_it), "the meter and the loads to die with the run")
    resume(run)
    check_kept(run, before, started)


def interrupted_in(folder, step):
    run = folder / "run"
    process = start(folder, run)
    before = wait_until_in(process, run, step)
    process.send_signal(signal.SIGINT)
    status, output = finish(process)
    assert status == 3, (status, output)
    assert stored(run)["run"]["status"] == "interrupted"
    assert (run / "report.html").exists() or "no report.html" in output, output
    assert f"--resume {run}" in output, output
    started = {name: phase(run, name) for name in before}
    resume(run)
    check_kept(run, before, started)


def only_cyclictest():
    return '[[phase]]\nname = "cyclictest"\nkind = "cyclictest"\nduration = "2s"\n'


def fake_cyclictest(folder, script):
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    program = tools / "cyclictest"
    program.write_text("#!/bin/sh\nfor a; do case $a in --json=*) json=${a#--json=};; esac; done\n" + script + "\n")
    program.chmod(0o755)
    return {"PATH": f"{tools}:{os.environ['PATH']}"}


def cyclictest_missing(folder):
    tools = folder / "bin"
    tools.mkdir()
    status, output = finish(start(folder, folder / "run", only_cyclictest() + '[[phase]]\nname = "npt"\nkind = "npt"\n'
                                  'duration = "1s"\n', {"PATH": str(tools)}))
    cyclictest = phase(folder / "run", "cyclictest")
    assert cyclictest["kind"] == "cyclictest" and cyclictest["facts"]["meter"] == "maxlat cyclic", cyclictest
    assert cyclictest["status"] == "ok" and cyclictest["per_cpu"][0]["samples"] > 0, cyclictest
    assert any("apt install rt-tests" in warning for warning in cyclictest["warnings"]), cyclictest
    assert status in (0, 3), (status, output)
    # The same PATH has no gnuplot either: there is a page all the same, and both say why it has no plots.
    assert "warning: gnuplot is not installed, so the page has no plots" in output, output
    assert output.rstrip().splitlines()[-1].startswith("report: "), output
    page = (folder / "run" / "report.html").read_text()
    assert "gnuplot is not installed" in page and "<svg class=\"plot\"" not in page and "Latency by CPU" in page


def cyclictest_broken(folder):
    scripts = {"rubbish": "echo rubbish > $json", "empty": ": > $json", "nothing": "exit 0", "refuses": "echo 'no way' >&2; exit 1",
               "dies": "sleep 0.5; kill -9 $$", "truncated": "printf '{\"file_version\": 1, \"cmdline:\": \"cyclicte' > $json"}
    for name, script in scripts.items():
        run = folder / name
        status, output = finish(start(folder, run, only_cyclictest(), fake_cyclictest(folder, script)))
        broken = phase(run, "cyclictest")
        assert broken["status"] == "failed" and broken["reason"], (name, broken)
        assert "per_cpu" not in broken or not broken["per_cpu"], (name, broken)
        assert status == 3, (name, status, output)
        assert "\n" not in broken["reason"], broken


def unprivileged(folder):
    os.chmod(folder, 0o777)
    status, output = finish(start(folder, folder / "run", wrap=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                                                "--inh-caps=-all", "--bounding-set=-all")))
    if "cannot execute" in output or "Permission denied" in output.splitlines()[0]:
        raise Skip(f"the build folder is not readable for others: {output}")
    assert status == 77, (status, output)
    lines = output.splitlines()
    assert len(lines) == 2 and "SCHED_FIFO" in lines[0] and "run as root" in lines[1], output
    assert not (folder / "run").exists(), "nothing was measured, and something was left"


def disk_full(folder):
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(disk)], capture_output=True).returncode != 0:
        raise Skip("cannot mount a tmpfs here")
    try:
        status, output = finish(start(folder, disk / "run"))
        assert status in (1, 3), (status, output)
        assert "no space left" in output.lower(), output
        assert names(disk / "run")[:1] == ["preflight"], "what was measured is lost"
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def two_runs(folder):
    run = folder / "run"
    process = start(folder, run)
    wait_until_in(process, run, STEPS[0])
    status, output = finish(start(folder, run))
    assert status == 1 and "another run is at work" in output, (status, output)
    process.send_signal(signal.SIGINT)
    finish(process)


TRACER = """
[[phase]]
name = "tracer"
kind = "tracer"
arms = ["none", "maxlat:timer"]
rounds = 2
duration = "200ms"
"""


def labelled_and_gated(folder):
    """What an ordinary run is called stands wherever people look, its largest gaps have their owners, and its gate is that of the
    box, not of a tracer's arm."""
    run = folder / "run"
    mounts = pathlib.Path("/proc/self/mounts").read_text()
    status, output = finish(start(folder, run, PLAN + TRACER, options=("--label", "box 17", "--annotate", "bios=2.4")))
    assert status in (0, 3), (status, output)
    assert pathlib.Path("/proc/self/mounts").read_text() == mounts, "the run changed what is mounted"
    again = subprocess.run([MAXLAT, "report", "--text", str(run)], capture_output=True, text=True, timeout=LONG)
    check_told(stored(run), output, again.stdout)
    check_who_had_the_time(phase(run, "npt"))
    is_recorded(phase(run, "hwlat"))
    if shutil.which("cyclictest"):
        check_latest_wakeups(phase(run, "cyclictest"))
    cost = next(p for p in stored(run)["phases"] if p["name"].startswith("tracer: none"))["facts"]["cost of watching"]
    assert cost.startswith("not measured: ") or cost.count("p50 ") == cost.count("p99.9 ") == 2, cost
    assert "box 17" in output.splitlines() and "box 17" in (run / "report.html").read_text(), output
    described = json.dumps(stored(run)["run"])
    assert "box 17" in described and "bios" in described, described

    def gate(*options):
        ended = subprocess.run([MAXLAT, "gate", str(run), *options], capture_output=True, text=True, timeout=LONG)
        return ended.returncode, ended.stdout + ended.stderr

    not_valid = [p["name"] for p in stored(run)["phases"] if p["status"] != "ok" and not p["name"].startswith("tracer")]
    for options, wanted in ((("--max", "1h"), 0), (("--max", "1ns"), 2)):
        ended, told = gate(*options)
        assert ended == (3 if not_valid and wanted == 0 else wanted), (ended, told, not_valid)
        assert "tracer" not in told and "maxlat arm" not in told, told
        assert all(name in told for name in ("hwlat", "cyclictest", "npt")), told


def gated_by_a_file(folder):
    """A gate judges the run that it was given to, also when that is interrupted, its file gone, and the run resumed."""
    run, gate = folder / "run", folder / "gate.toml"
    gate.write_text('[[limits]]\nphase = "npt"\nexposure = "1d"\n')
    plan = '[[phase]]\nname = "npt"\nkind = "npt"\nduration = "3s"\n'
    process = start(folder, run, plan, options=("--gate", str(gate)))
    wait_for(lambda: process.poll() is not None or (names(run) == ["preflight"] and children(process.pid)), "step npt")
    process.send_signal(signal.SIGINT)
    status, output = finish(process)
    assert status == 3, (status, output)
    gate.unlink()
    ended = subprocess.run([MAXLAT, "run", "--resume", str(run)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=LONG)
    assert ended.returncode == (2 if phase(run, "npt")["status"] == "ok" else 3), (ended.returncode, ended.stdout)
    rules = stored(run)["verdict"]["rules"]
    assert [(rule["rule"], rule["limit"]) for rule in rules] == [("npt: exposure_s", ">= 86400 s")], rules
    again = subprocess.run([MAXLAT, "gate", str(run)], capture_output=True, text=True, timeout=LONG)
    assert again.returncode == ended.returncode and "npt: exposure_s" in again.stdout, again


def watched(folder):
    """As docs/questions.md has it: a look that began before the run follows its meter, and goes on when that has ended."""
    watching = subprocess.Popen([MAXLAT, "sensors", "watch", "--wait", "-i", "20ms", "npt-cpu*"], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, text=True)
    too_long = threading.Timer(LONG, watching.kill)
    too_long.start()
    process = start(folder, folder / "run", '[[phase]]\nname = "npt"\nkind = "npt"\nduration = "1h"\n')
    try:
        meters = set()

        def seen(what):
            for line in watching.stdout:
                match = re.search(rf"^\S+#(\d+)/npt-cpu\d+/{what}", line)
                meters.update(children(process.pid))  # those of other runs are seen, too
                if match and int(match[1]) in meters:
                    return match[2]
            raise AssertionError(f"nobody saw {what} of the run")

        seen("longest +([1-9].*)")
        count = seen(r"gaps +n=([1-9]\d*)")
        seen(rf"gaps +n=(?!{count}\b)(\d+)")
        process.send_signal(signal.SIGINT)
        seen("longest +(has ended)")
        finish(process)
        watching.send_signal(signal.SIGINT)
        watching.stdout.read()
        assert watching.wait() == 0, watching.returncode
    finally:
        too_long.cancel()
        process.kill()
        watching.kill()
        watching.communicate()


def settings_of_shield():
    """What a shield writes where this machine has it, and who may run where."""
    paths = ["/proc/sys/kernel/timer_migration", "/proc/sys/vm/stat_interval", "/proc/irq/default_smp_affinity",
             "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/kernel/watchdog_cpumask"]
    seen = {path: pathlib.Path(path).read_text() for path in paths if os.access(path, os.R_OK)}
    seen["affinity"] = sorted(os.sched_getaffinity(0))
    return seen


def shielded(folder):
    """As far as this machine permits: in a container or on one CPU it is refused, and nothing is left behind."""
    before = settings_of_shield()
    run = folder / "run"
    process = start(folder, run, options=("--shield", "--skip", "control", "--skip", "hwlat"))
    status, told = finish(process)
    assert settings_of_shield() == before, (before, settings_of_shield())
    assert subprocess.run([MAXLAT, "shield", "status"], capture_output=True, text=True).stdout == "no shield is on\n"
    if status in (1, 77):
        assert "shield" in told, told
        assert not run.exists(), "a refused run left its folder"
        raise Skip(f"no shield here: {told}")
    assert status in (0, 3), (status, told)
    assert names(run) == ["shield", "preflight", "shield audit", *ALL[1:]], names(run)
    told_of = phase(run, "shield")
    assert told_of["facts"]["put on by"] == "this run", told_of
    for name in ("cyclictest", "npt"):
        assert phase(run, name)["facts"]["CPUs"] == told_of["facts"]["CPUs"], "only shielded CPUs are measured"
        assert phase(run, name)["status"] in ("ok", "invalid"), phase(run, name)


CASES = {f"killed_in_{step.split()[0]}": lambda folder, step=step: killed_in(folder, step) for step in STEPS}
CASES |= {f"interrupted_in_{step.split()[0]}": lambda folder, step=step: interrupted_in(folder, step) for step in STEPS}
CASES |= {f.__name__: f for f in (cyclictest_missing, cyclictest_broken, unprivileged, disk_full, two_runs,
                                labelled_and_gated, gated_by_a_file, watched, shielded)}


def main():
    case = CASES[sys.argv[1]]
    if os.geteuid() != 0:
        print("skipped: needs root, for SCHED_FIFO and locked memory")
        return 77
    if case not in (cyclictest_missing, cyclictest_broken, watched) and not shutil.which("cyclictest"):
        print("skipped: cyclictest is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="maxlat-run-faults-") as folder:
        try:
            case(pathlib.Path(folder))
        except Skip as why:
            print(f"skipped: {why}")
            return 77
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
