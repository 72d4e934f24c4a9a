# SPDX-License-Identifier: MIT
"""A program and all that it starts, in a session of its own, so that nothing of it is left when its time is over.

The caller is the subreaper of what its children leave behind (become_subreaper()): their CPU time counts, and reap() sees them.
"""
import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
GRACE_S = 10  # between "end" and "killed": to undo what must not stay
LOOK_EVERY_S = 0.01


class Failed(Exception):
    """Why there is no figure, in a line."""


def become_subreaper():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_cleanly_when_told():
    """SIGTERM runs what stands in `finally`, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))


def kill_session(leader):
    """All of its group at once. That it has none any more is as good."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def ended(command, limit_s, **options):
    """As subprocess.run() with text. At its limit the program is asked to end, and then all that it started is killed; Failed then, and
    where it cannot be started. What a program leaves in its session when it ends by itself is killed, too."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, start_new_session=True, **options)
    except OSError as wrong:
        raise Failed(str(wrong)) from wrong
    try:
        output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            pass
        raise Failed(f"it did not end within {limit_s:.4g} s") from None
    finally:
        kill_session(process.pid)
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def children():
    """Of any thread of ours."""
    return {int(pid) for file in pathlib.Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()}


def reap(limit_s=GRACE_S, besides=()):
    """Waits for what has been left to us, until nothing is but `besides`: Failed when something does not end."""
    give_up = time.monotonic() + limit_s
    try:
        while True:
            if os.waitpid(-1, os.WNOHANG)[0] != 0:
                continue
            if besides and children() <= set(besides):
                return
            if time.monotonic() > give_up:
                raise Failed("a process that it started does not end")
            time.sleep(LOOK_EVERY_S)
    except ChildProcessError:
        pass
