#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""npt_compare_faults.py [CHECK...]: what maxlat npt --compare and --find-max-rate do when something dies or is missing in the
middle of a round: the arm that it hits is out with one line, the others go on, and nothing stays behind.

The program is $MAXLAT. Needs root and SCHED_FIFO; says 77 without. Nothing here passes or fails by how fast this machine is.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys

from left_behind import Before, descendants, words_of
from tap import MAXLAT, loop_seconds, needs_root_and_fifo, run_checks, wait_for

CPU = sorted(os.sched_getaffinity(0))[-1]
# Who can die, of which arm, and what is said of it.
VICTIMS = [("maxlat:timer", "recorder", "the consumer died"), ("lttng-ust:timer", "lttng-sessiond", "LTTng's session daemon died"),
           ("lttng-ust:writer", "lttng-consumerd", "LTTng's consumer daemon died")]


def start(*arguments, before=(), **kwargs):
    return subprocess.Popen([*before, MAXLAT, "npt", "-a", str(CPU), "-q", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **kwargs)


def compared(arms, *arguments, **kwargs):
    return start("--compare", arms, "--seed", "1", *arguments, **kwargs)


def ended(run):
    out, err = run.communicate(timeout=500)  # a hang, not a slow machine
    return run.returncode, out, err


def phases_of(text):
    """{arm: phase} of a result; lists as their lengths, so that a failed check can print it."""
    phases = {p["arm"]: p for p in json.loads(text)["phases"]}
    for phase in phases.values():
        phase["rounds"], phase["per_cpu"] = len(phase.get("rounds", ())), len(phase["per_cpu"])
    return phases


def phases_in(folder):
    return phases_of(pathlib.Path(folder, "r.json").read_text())


def is_missing(arm):
    """Why this arm cannot run here, or nothing."""
    probe = start("--arm", arm, "-l", "1000")
    status, _, err = ended(probe)
    return err.splitlines()[0] if status == 77 else None


def loop_of(run, arm):
    """The process below `run` that is in the loop of this arm now, or None."""
    for pid, name in descendants(run.pid).items():
        words = words_of(pid)
        if name == "maxlat" and "--arm" in words and words[words.index("--arm") + 1] == arm:
            try:
                if loop_seconds(pid) > 0:
                    return pid
            except FileNotFoundError:  # it has just ended
                pass
    return None


def first_loop_of(run, arm):
    def found():
        assert run.poll() is None, f"ended before {arm} was in its loop: {run.communicate()}"
        return loop_of(run, arm)
    return wait_for(found, f"loop of {arm}", 60)


def recorders_below(pid):
    return [p for p, name in descendants(pid).items() if name == "maxlat" and "record" in words_of(p)]


def until_the_end(run, arm, victims_below, harm):
    """harm(pid) to each victim below each loop of this arm. It may come too late for the round it was found in, and is
    then repeated in the next one. Returns how many were found."""
    harmed = set()
    while run.poll() is None:
        pid = loop_of(run, arm)
        for victim in set(victims_below(pid) if pid else ()) - harmed:
            try:
                harm(victim)
                harmed.add(victim)
            except ProcessLookupError:
                pass
    return len(harmed)


def kill(pid):
    os.kill(pid, signal.SIGKILL)


def who_dies_in_a_round_ends_its_arm_and_no_other(folder):
    skipped = []
    for arm, name, reason in VICTIMS:
        if missing := is_missing(arm):
            skipped.append(missing)
            continue
        before = Before()
        run = compared(f"none,{arm},delay:1us", "--rounds", "3", "-D", "700ms", "-f", "1k", "--json", f"{folder}/r.json")
        named = lambda pid: recorders_below(pid) if name == "recorder" else [p for p, who in descendants(pid).items() if who == name]
        killed = until_the_end(run, arm, named, kill)
        status, out, err = ended(run)
        assert killed > 0, f"{arm}: no {name} was seen in a loop: {err}"
        assert status == 3 and err.count("\n") == 1 and re.match(rf"maxlat npt: {arm}: (round \d: )?{reason}", err), f"{arm}: {status}: {err}"
        phases = phases_in(folder)
        assert phases[arm]["status"] == "invalid" and not phases[arm]["per_cpu"], phases[arm]
        for other in ("none", "none (again)", "delay:1us"):
            assert phases[other]["status"] == "ok" and phases[other]["rounds"] == 3, phases[other]
        assert "delay:1us against none, 3 rounds" in out and f"{arm} against" not in out, out
        before.no_more_left()
    return "; ".join(skipped)


def a_search_whose_consumer_dies_finds_no_rate(folder):
    before = Before()
    run = start("--find-max-rate", "maxlat:timer", "-D", "700ms", "--json", f"{folder}/r.json")
    killed = until_the_end(run, "maxlat:timer", recorders_below, kill)
    status, _, err = ended(run)
    assert killed > 0 and status == 3 and "the consumer died" in err and err.count("\n") == 1, (status, err)
    before.no_more_left()


def an_interrupted_search_keeps_its_trials(folder):
    run = start("--find-max-rate", "maxlat:timer,maxlat", "-D", "200ms", "--json", f"{folder}/r.json")
    seen = set()
    wait_for(lambda: seen.add(loop_of(run, "maxlat:timer")) or len(seen - {None}) >= 3, "third trial", 60)
    run.send_signal(signal.SIGINT)
    status, out, err = ended(run)
    phase, = json.loads(pathlib.Path(folder, "r.json").read_text())["phases"]
    rate = phase["maximum_rate"]
    assert status == 0 and phase["status"] == "interrupted", (status, err, phase["status"])
    assert len(rate["trials"]) >= 1 and not rate["confirmed"], rate
    assert phase["reason"] == f"interrupted after {len(rate['trials'])} trials" and phase["reason"] in out, (phase["reason"], out)


def an_arm_asked_for_twice_has_two_rates(folder):
    """maxlat is maxlat:timer; two phases of one name are no result, and all was lost when it was written."""
    run = start("--find-max-rate", "maxlat,maxlat:timer", "-D", "50ms", "--json", f"{folder}/r.json")
    status, out, err = ended(run)
    assert status in (0, 3), (status, err)  # 3: trials so short may confirm nothing on a busy machine
    assert list(phases_in(folder)) == ["maxlat:timer", "maxlat:timer (2)"], list(phases_in(folder))
    for phase in phases_in(folder).values():
        assert phase["maximum_rate"]["confirmed"] == (phase["status"] == "ok"), phase


def a_search_while_the_kernel_is_traced_leaves_no_instance(folder):
    before = Before()
    run = start("--find-max-rate", "maxlat:timer", "--with-load", "trace", "-D", "100ms", "--json", f"{folder}/r.json")
    status, out, err = ended(run)
    if status == 77 and "tracefs is not mounted" in err:
        return "the kernel cannot be traced here"
    if status != 3 or "no rate is confirmed" not in err:  # a busy box may confirm none
        assert status == 0, (status, err)
        fact = phases_in(folder)["maxlat:timer"]["facts"]["load"]
        assert re.fullmatch(r"the kernel traced: [1-9]\d* events of .*sched.*", fact) and fact in out, (fact, out)
    before.no_more_left()


FULL = "the kernel's trace cannot be written to /var/tmp: no space left on device"


def with_a_disk_of(size, place="/var/tmp"):
    """What puts a command into a mount namespace in which `place` is so large, and names what it left there; None: cannot be had."""
    inner = f'mount -t tmpfs -o size={size} tmpfs {place} && {{ "$@"; status=$?; ls -A {place} >&2; exit $status; }}'
    own = ["unshare", "--mount", "--propagation", "private", "--", "sh", "-c", inner, "sh"]
    return own if subprocess.run([*own, "true"], capture_output=True).returncode == 0 else None


def beside_a_trace_that_is_written(folder):
    """Who writes it is not in it, and the disk has no file of it: /var/tmp is as large as the trace needs, or too small for it."""
    before = Before()
    for load, size in [("trace:syscalls", "1G"), ("trace:all", "1G"), ("trace:all,size=64k,count=2", "16k")]:
        if not (own := with_a_disk_of(size)):
            return "a mount namespace with a /var/tmp of its own cannot be had"
        run = compared("none,delay:1us", "--rounds", "1", "-D", "300ms", "--with-load", load, "--json", "-", before=own)
        status, out, err = ended(run)
        if status == 77:
            return "the kernel cannot be traced here: " + err.splitlines()[0]
        phases = phases_of(out)
        for phase in phases.values():
            assert re.fullmatch(r"the kernel traced: [1-9]\d* events of (raw_syscalls|all groups), by tracefs, written to /var/tmp: "
                                r"\d+\.\d MiB, \d+ events lost", phase["facts"]["load"]), phase["facts"]
            assert not [text for text in phase["warnings"] if "cannot leave" in text], phase["warnings"]
        if size != "16k":
            assert status == 0 and not err, (load, status, err)
            continue
        assert status == 3 and re.fullmatch(rf"maxlat npt: [^\n]+: {FULL}\n", err), (status, err)
        assert "invalid" in {phase["status"] for phase in phases.values()}, phases
    before.no_more_left()
    return None


def a_search_ends_where_the_disk_of_the_kernels_trace_is_full(folder):
    """A trial that the load was not there for does not count; no more are made, and the other arm has none."""
    before = Before()
    if not (own := with_a_disk_of("16k")):
        return "a mount namespace with a /var/tmp of its own cannot be had"
    run = start("--find-max-rate", "maxlat:timer,maxlat:wakeup", "--with-load", "trace:all,size=64k,count=2", "-D", "100ms",
                "--json", "-", before=own)
    status, out, err = ended(run)
    if status == 77:
        return "the kernel cannot be traced here: " + err.splitlines()[0]
    assert status == 3 and err == f"maxlat npt: maxlat:timer: {FULL}\n", (status, err)
    for arm, phase in phases_of(out).items():
        assert phase["status"] == "invalid" and phase["reason"] == FULL and "maximum_rate" not in phase, (arm, phase)
    assert list(phases_of(out)) == ["maxlat:timer", "maxlat:wakeup"], list(phases_of(out))
    before.no_more_left()
    return None


def a_full_disk_ends_only_the_arms_that_write(folder):
    """/tmp, where the arms' folders are, is a small one of a mount namespace."""
    if not (small := with_a_disk_of("1M", "/tmp")):
        return "a mount namespace with a small /tmp cannot be had"
    copy = pathlib.Path(MAXLAT).parent
    if copy.is_relative_to("/tmp"):
        return "this build is below /tmp"
    writers = ["maxlat:timer", "locked-printf"] + [arm for arm in ("spdlog-async", "lttng-ust:timer") if not is_missing(arm)]
    before = Before()
    run = compared(f"none,{','.join(writers)},delay:1us", "--rounds", "2", "-D", "300ms", "--json", "-", before=small)
    status, out, err = ended(run)
    phases = phases_of(out)
    assert status == 3 and re.match(rf"maxlat npt: \S+: .*\n\Z", err), f"{status}: {err}"  # one line; and /tmp is empty again
    for arm in writers:
        assert phases[arm]["status"] == "invalid" and phases[arm]["reason"], phases[arm]
    assert phases["delay:1us"]["rounds"] == 2 and phases["delay:1us"]["status"] == "ok", phases["delay:1us"]
    before.no_more_left()


def a_file_size_limit_is_an_error_and_no_death(folder):
    """The other way to run out of disk: a file of the trace reaches RLIMIT_FSIZE. Its signal must not end the recorder."""
    before, arm, limit = Before(), "maxlat:timer", (1 << 16, 1 << 16)
    run = compared(f"none,{arm}", "--rounds", "3", "-D", "700ms", "--json", f"{folder}/r.json")
    limited = until_the_end(run, arm, recorders_below, lambda pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, limit))
    status, _, err = ended(run)
    assert limited > 0 and status == 3 and re.match(rf"maxlat npt: {arm}: (round \d: )?the consumer could not write the trace: .*\n\Z", err), err
    before.no_more_left()


def nothing_stays_behind_a_killed_comparison(folder):
    """SIGKILL of all in the middle of a round: what runs ends at once, what lies about is gone with the next start."""
    for arm in ("maxlat:wakeup", "lttng-ust:timer", "uprobe", "ftrace-marker", "locked-printf"):
        if is_missing(arm):
            continue
        before = Before()
        run = compared(f"none,{arm}", "--rounds", "9", "-D", "700ms", "-f", "1k")
        first_loop_of(run, arm)
        run.kill()
        ended(run)
        before.no_process_left()
        status, _, err = ended(compared("none,delay:0ns", "--rounds", "1", "-D", "10ms"))  # any arm undoes the rest
        assert status == 0, err
        before.no_more_left()


def an_arm_that_crashes_ends_alone(folder):
    """SIGKILL of one arm's process in its loop; the next process undoes what that one had left."""
    for arm in ("maxlat:wakeup", "lttng-ust:timer"):
        if is_missing(arm):
            continue
        before = Before()
        run = compared(f"none,{arm},delay:1us", "--rounds", "2", "-D", "700ms", "-f", "1k", "--json", f"{folder}/r.json")
        os.kill(first_loop_of(run, arm), signal.SIGKILL)
        status, out, err = ended(run)
        assert status == 1 and re.match(rf"maxlat npt: {arm}: (round \d: )?maxlat npt was killed by signal 9 .*\n\Z", err), f"{status}: {err}"
        phases = phases_in(folder)
        assert phases[arm]["status"] == "failed" and "delay:1us against none, 2 rounds" in out, (phases, out)
        status, _, err = ended(start("--arm", "delay:0ns", "-l", "1000"))  # its turn may have been the last one
        assert status == 0, err
        before.no_more_left()


def one_cpu_is_enough_for_tracers(folder):
    """Under taskset the consumer has no CPU while the loop runs: what it cannot take is lost, and in the books."""
    before = Before()
    arms = ["maxlat:timer", "maxlat:wakeup,cpu", "locked-printf"] + [arm for arm in ("lttng-ust:timer",) if not is_missing(arm)]
    run = compared(f"none,{','.join(arms)}", "--rounds", "1", "-D", "300ms", "-f", "100k", "--json", f"{folder}/r.json",
                   before=["taskset", "-c", str(CPU)])
    status, _, err = ended(run)
    assert status == 0, err
    for arm in arms:
        phase = phases_in(folder)[arm]
        counts = phase["events"]
        assert phase["status"] == "ok" and counts["produced"] > 1000, phase
        assert counts["produced"] == counts["recorded"] + counts["lost_full"] + counts["lost_wrap"] + counts["lost_big"], f"{arm}: {counts}"
        assert any("consumer had to share" in warning for warning in phase["warnings"]), f"{arm}: {phase['warnings']}"
    before.no_more_left()


def a_plug_in_that_is_not_there_ends_only_its_arm(folder):
    alone = shutil.copy(MAXLAT, folder)
    run = subprocess.run([alone, "npt", "-a", str(CPU), "-q", "--compare", "none,spdlog-async,delay:1us", "--rounds", "2", "-D", "50ms",
                          "--json", f"{folder}/r.json"], capture_output=True, text=True, timeout=120)
    phases = phases_in(folder)
    assert run.returncode == 0 and phases["spdlog-async"]["status"] == "skipped" and phases["spdlog-async"]["reason"] in run.stdout, run
    assert "delay:1us against none, 2 rounds" in run.stdout, (phases, run.stdout)


CHECKS = [who_dies_in_a_round_ends_its_arm_and_no_other, a_search_whose_consumer_dies_finds_no_rate,
          an_interrupted_search_keeps_its_trials, an_arm_asked_for_twice_has_two_rates,
          a_search_while_the_kernel_is_traced_leaves_no_instance, beside_a_trace_that_is_written,
          a_search_ends_where_the_disk_of_the_kernels_trace_is_full,
          a_full_disk_ends_only_the_arms_that_write, a_file_size_limit_is_an_error_and_no_death,
          nothing_stays_behind_a_killed_comparison, an_arm_that_crashes_ends_alone, one_cpu_is_enough_for_tracers,
          a_plug_in_that_is_not_there_ends_only_its_arm]


if __name__ == "__main__":
    needs_root_and_fifo()
    sys.exit(run_checks(CHECKS, sys.argv[1:]))
