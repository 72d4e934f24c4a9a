# SPDX-License-Identifier: MIT
"""The kernel's own tracer for one run of a workload: an instance of tracefs, made and removed with `with`.

A flight recorder keeps the newest events; with a folder, each CPU's pages are written to a file there by a thread of its own, and an
event that finds no room is dropped. Whatever the kernel has not got, the instance does not stay: Failed says what is missing.
"""
import contextlib
import glob
import os
import pathlib
import re
import threading

from processes import Failed

TRACING = pathlib.Path("/sys/kernel/tracing")
PREFIX = "maxlat-paper-"  # round_trip.cpp has the same
EVENTS = ("raw_syscalls:sys_enter raw_syscalls:sys_exit exceptions:page_fault_user exceptions:page_fault_kernel sched:sched_switch "
          "sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new sched:sched_migrate_task sched:sched_process_fork "
          "sched:sched_process_exec sched:sched_process_exit sched:sched_process_free irq:softirq_entry irq:softirq_exit").split()
BUFFER_KIB = 4096  # a CPU
AT_ONCE, READ_EVERY_S = 1 << 16, 0.01


make_instance, remove_instance = os.mkdir, os.rmdir  # tracefs fills a new folder, and removes one that is full


def write(file, value):
    """Into a file of tracefs: one that is not there is not made."""
    descriptor = os.open(file, os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def remove_instances_of_the_dead(tracing=TRACING):
    """Those of programs that were killed: they go on tracing."""
    for path in pathlib.Path(tracing, "instances").glob(f"{PREFIX}*"):
        pid = path.name[len(PREFIX):]
        if pid.isdigit() and not pathlib.Path("/proc", pid).exists():
            with contextlib.suppress(OSError):  # another one removes it, or reads it
                remove_instance(path)


class Recorder:
    def __init__(self, folder=None, tracing=TRACING, events=EVENTS):
        self.path, self.folder, self.events = pathlib.Path(tracing, "instances", f"{PREFIX}{os.getpid()}"), folder, events
        self.readers, self.ended, self.why = [], threading.Event(), []

    def __enter__(self):
        try:
            make_instance(self.path)
        except OSError as wrong:
            raise Failed(f"no instance of tracefs can be made: {wrong}") from wrong
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def start(self):
        self.put("trace_clock", "x86-tsc", "this kernel has no trace clock x86-tsc")
        self.put("buffer_size_kb", BUFFER_KIB, f"there is no room for buffers of {BUFFER_KIB} KiB a CPU")
        self.put("options/overwrite", 0 if self.folder else 1, "its buffers cannot be told what to do when they are full")
        for event in self.events:
            self.put(f"events/{event.replace(':', '/')}/enable", 1, f"this kernel has no event {event}")
        for cpu in sorted(self.path.glob("per_cpu/cpu*")) if self.folder else []:
            self.readers.append(threading.Thread(target=self.read, args=(cpu / "trace_pipe_raw", f"{self.folder}/{cpu.name}")))
            self.readers[-1].start()

    def put(self, name, value, missing):
        try:
            write(self.path / name, value)
        except OSError as wrong:
            raise Failed(f"{missing} ({wrong.strerror})") from wrong

    def read(self, raw, file):
        """A CPU's full pages, until the end; by splice(), so that nobody copies them. What goes wrong is told by books()."""
        opened = []
        try:
            opened.append(os.open(raw, os.O_RDONLY | os.O_NONBLOCK))
            opened.append(os.open(file, os.O_WRONLY | os.O_CREAT))
            opened.extend(os.pipe())
            source, target, out, into = opened
            while not self.ended.is_set():
                try:
                    pages = os.splice(source, into, AT_ONCE)
                except BlockingIOError:
                    pages = 0
                if pages == 0:
                    self.ended.wait(READ_EVERY_S)
                while pages > 0:
                    pages -= os.splice(out, target, pages)
        except OSError as wrong:
            self.why.append(f"the trace of {pathlib.Path(file).name} cannot be written: {wrong.strerror}")
        finally:  # or the instance could not be removed
            for descriptor in opened:
                os.close(descriptor)

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        self.ended.set()
        for reader in self.readers:  # what they have not read yet is in the books, and not in the file
            reader.join()
        with contextlib.suppress(OSError):  # it ends with the instance, too
            write(self.path / "events/enable", 0)
        remove_instance(self.path)

    def books(self):
        """(events, bytes, lost) so far. The bytes of events that are overwritten are taken for the mean of those that are not. Lost is
        what found no room, and what was interrupted so often that the buffer came round to it; what a flight recorder overwrites is not."""
        write(self.path / "tracing_on", 0)
        if self.why:
            raise Failed("; ".join(self.why))
        text = "".join(pathlib.Path(file).read_text() for file in glob.glob(f"{self.path}/per_cpu/cpu*/stats"))
        told = {key: sum(map(int, re.findall(rf"^{key}: (\d+)", text, re.M)))
                for key in ("entries", "overrun", "commit overrun", "dropped events", "read events", "bytes")}
        lost = told["dropped events"] + told["commit overrun"]
        events = told["entries"] + told["overrun"] + told["read events"]
        if self.folder:
            return events, sum(file.stat().st_size for file in pathlib.Path(self.folder).iterdir()), lost
        return events, events * told["bytes"] / max(1, told["entries"]), lost
