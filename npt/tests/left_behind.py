# SPDX-License-Identifier: MIT
"""What a run of npt may leave behind: processes, folders, shared memory, mounts, tracefs instances.

Other runs may be at work on this machine at the same time, of other builds too. What is theirs is not left behind: a
folder maxlat-npt-PID-STARTTIME is of the process that its name says, an LTTng daemon of the run in whose folder its
LTTNG_HOME is, and shared memory of whoever has it mapped.
"""
import os
import pathlib
import re

from tap import MAXLAT, wait_for

# In the environment of all that this test starts: maxlat of another test, beside it, is not ours.
MARK = f"MAXLAT_TEST_RUN={os.getpid()}"
os.environ.update([MARK.split("=")])


def text_of(path):
    try:
        return pathlib.Path(path).read_bytes().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # it has just ended
        return ""


def stat_of(pid):
    """(name, state, parent, start time) or None."""
    text = text_of(f"/proc/{pid}/stat")
    if not text:
        return None
    name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return name, rest[0], int(rest[1]), rest[19]


def processes():
    return {int(p.name): stat for p in pathlib.Path("/proc").iterdir() if p.name.isdigit() and (stat := stat_of(p.name))}


def words_of(pid):
    return text_of(f"/proc/{pid}/cmdline").split("\0")


def descendants(pid):
    """{pid: name}"""
    everyone, found = processes(), {pid}
    while more := {p for p, (_, _, parent, _) in everyone.items() if parent in found} - found:
        found |= more
    return {p: everyone[p][0] for p in found - {pid} if p in everyone}


def of_a_living_run(folder):
    pid, start_time = pathlib.Path(folder).name.split("-")[-2:]
    stat = stat_of(pid)
    return stat is not None and stat[1] != "Z" and stat[3] == start_time


def things():
    """Everything that an arm could leave behind, but for what belongs to a run that still lives."""
    listing = lambda folder, pattern: {str(p) for p in pathlib.Path(folder).glob(pattern)} if os.path.isdir(folder) else set()
    shared = listing("/dev/shm", "lttng*")
    if shared:
        shared -= {line.split()[-1] for pid in processes() for line in text_of(f"/proc/{pid}/maps").splitlines() if "/dev/shm/" in line}
    mounts = {line.split()[1] for line in text_of("/proc/mounts").splitlines() if "/maxlat-npt-" in line}
    return (shared | {f for place in ("/tmp", "/dev/shm") for f in listing(place, "maxlat-npt-*") if not of_a_living_run(f)}
            | {m for m in mounts if not of_a_living_run(pathlib.Path(m).parent)}
            | listing("/run", "lttng*") | listing(os.path.expanduser("~"), ".lttng*") | listing("/sys/kernel/tracing/instances", "maxlat-npt*"))


def is_ours(pid, name):
    """A process of this build that this test has started, or an LTTng daemon whose run has ended."""
    if name.startswith("lttng"):
        home = re.search(r"\0LTTNG_HOME=(/tmp/maxlat-npt-\d+-\d+)/", "\0" + text_of(f"/proc/{pid}/environ"))
        return home is not None and not of_a_living_run(home[1])
    try:
        return MARK in text_of(f"/proc/{pid}/environ").split("\0") and os.path.samefile(f"/proc/{pid}/exe", MAXLAT)
    except OSError:  # it has just ended
        return False


def own_processes(before):
    return {p: s for p, s in processes().items() if p not in before and s[1] != "Z" and is_ours(p, s[0])}


class Before:
    """What was there before the runs; no_more_left() afterwards waits until there is no more, and says what is."""

    def __init__(self):
        self.things, self.processes = things(), set(processes())

    def no_process_left(self):
        wait_for(lambda: not own_processes(self.processes), lambda: f"end of {own_processes(self.processes)}", 15)

    def no_more_left(self):
        self.no_process_left()
        # Other runs may end while we look: what was theirs then is gone at the next look.
        wait_for(lambda: things() <= self.things, lambda: f"end of {things() - self.things}", 15)
