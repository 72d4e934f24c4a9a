# SPDX-License-Identifier: MIT
"""What npt's tests from outside share: the program, waiting for a condition, and running checks as TAP."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time

MAXLAT = os.environ["MAXLAT"]


def wait_for(condition, what, limit_s=20):
    """The first true value of condition(). `what` is a text, or a function that makes it."""
    end = time.monotonic() + limit_s
    while not (value := condition()):
        assert time.monotonic() < end, f"no {what() if callable(what) else what} within {limit_s} s"
        time.sleep(0.005)
    return value


def loop_seconds(pid):
    """CPU time of the measuring thread, which is the one under SCHED_FIFO; 0 when there is none."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if os.sched_getscheduler(int(task.name)) == os.SCHED_FIFO:
                return int((task / "stat").read_text().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")
        except (ProcessLookupError, FileNotFoundError):
            pass
    return 0


def measuring(run):
    """Returns when the loop of this npt has run, and then for a while since the call."""
    def alive_and(condition):
        assert run.poll() is None, f"ended early: {run.communicate()}"
        return condition()
    before = wait_for(lambda: alive_and(lambda: loop_seconds(run.pid)), "measuring thread")
    wait_for(lambda: alive_and(lambda: loop_seconds(run.pid) > before + 0.2), "progress of the loop")


def needs_root_and_fifo():
    """Ends the program with 77, and says why, where npt's defaults are not permitted."""
    probe = subprocess.run([MAXLAT, "npt", "-l", "1000", "-q"], capture_output=True, text=True)
    if os.geteuid() != 0 or probe.returncode != 0:
        print(f"needs root and SCHED_FIFO: {probe.stderr}")
        raise SystemExit(77)


# What npt says of RT throttling and the fair server, and of other tasks that had its CPU. A check of just that has answers of its
# own (its attribute `known_answers`): what works in one run of six does not work.
STOPPED, TAKEN = "stopped the loop", "other tasks had CPU"
KNOWN_ANSWERS = (STOPPED, TAKEN)
TRIES = 6


def check_again_where_disturbed(check):
    """check(folder), in a fresh folder. That a loop did not have its CPU is a known answer of npt on a busy machine and no failure
    of a test: once more then."""
    for left in reversed(range(TRIES)):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return check(folder)
            except AssertionError as mistake:
                answers = getattr(check, "known_answers", KNOWN_ANSWERS)
                if left == 0 or not any(answer in str(mistake) for answer in answers):
                    raise
                print("# once more: a loop did not have its CPU", flush=True)
            finally:
                end_what_is_left()


def children():
    """The processes whose parent is this one."""
    own = str(os.getpid())
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if stat.read_text().rpartition(")")[2].split()[1] == own:
                found.append(int(stat.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def end_what_is_left(grace_s=10):
    """Ends what a check that failed has started: at real-time priority it would take the CPU of every test after it. First as a
    user would, so that it undoes what it did to the machine."""
    left = {pid for pid in children() if os.waitpid(pid, os.WNOHANG) == (0, 0)}
    for ending in (signal.SIGTERM, signal.SIGKILL):
        for pid in left:
            os.kill(pid, ending)
        end = time.monotonic() + grace_s
        while left and (ending == signal.SIGKILL or time.monotonic() < end):
            left = {pid for pid in left if os.waitpid(pid, os.WNOHANG) == (0, 0)}
            time.sleep(0.005)


def run_checks(checks, names):
    """Runs each check(folder), or those that are named; returns the exit status. A check that returns a text was skipped."""
    failed = 0
    chosen = [check for check in checks if not names or check.__name__ in names]
    print(f"1..{len(chosen)}")
    for number, check in enumerate(chosen, 1):
        try:
            skip = check_again_where_disturbed(check)
            print(f"ok {number} - {check.__name__}" + (f" # SKIP {skip}" if skip else ""), flush=True)
        except AssertionError as mistake:
            failed += 1
            print(f"not ok {number} - {check.__name__}\n#   {mistake}", flush=True)
    return 1 if failed or not chosen else 0


def self_test():
    """A check is made again where its loop was disturbed, and only there; what it left running has ended."""
    def tries_of(message, known_answers=None):
        tries = []

        def check(_):
            tries.append(message)
            assert False, message
        if known_answers is not None:
            check.known_answers = known_answers
        try:
            check_again_where_disturbed(check)
        except AssertionError:
            return len(tries)
        return 0
    assert tries_of(f"the fair server {STOPPED}") == tries_of(f"{TAKEN} 1") == TRIES
    assert tries_of("a wrong sum") == 1
    assert tries_of(f"the fair server {STOPPED}", (TAKEN,)) == 1

    def leave_behind(_):
        subprocess.Popen(["sleep", "3600"])
        assert len(children()) == 1
        assert False, "with a process"
    try:
        check_again_where_disturbed(leave_behind)
    except AssertionError as mistake:
        assert "with a process" in str(mistake)
    assert not children()
    with subprocess.Popen(["sh", "-c", "trap '' TERM; echo; exec sleep 3600"], stdout=subprocess.PIPE) as stubborn:
        stubborn.stdout.readline()
        end_what_is_left(0.05)
        assert not children()
    from npt_effects import a_loop_rests_as_the_scheduler_demands as of_rest
    assert of_rest.known_answers == (TAKEN,), "a loop that is stopped in spite of its rest fails at once"


if __name__ == "__main__":
    self_test()
