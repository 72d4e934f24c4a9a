# SPDX-License-Identifier: MIT
"""perf as a flight recorder for one run of a workload, with the events and the room that the kernel's own tracer has (recorder.py).

`perf record --overwrite` keeps each CPU's newest events and writes them when it ends. How many it saw and overwrote it does not
count. It is told by --control when to begin and says when it has, so that nothing of its start is in the run.
"""
import os
import shutil
import subprocess

from processes import GRACE_S, Failed, kill_session
from recorder import BUFFER_KIB, EVENTS


class PerfRecorder:
    def __init__(self, folder, events=EVENTS):
        self.file, self.events, self.process, self.pipes = f"{folder}/perf.data", events, None, []

    @staticmethod
    def missing():
        return "" if shutil.which("perf") else "no such program: apt-get install linux-perf"

    def __enter__(self):
        theirs, control = os.pipe()
        acknowledged, said_by_them = os.pipe()
        self.pipes = [control, acknowledged]
        try:
            self.process = subprocess.Popen(
                ["perf", "record", "--all-cpus", "--overwrite", f"--mmap-pages={BUFFER_KIB}K", "--delay=-1",
                 f"--control=fd:{theirs},{said_by_them}", "--event", ",".join(self.events), "--output", self.file],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                pass_fds=(theirs, said_by_them), start_new_session=True)
            self.begin(control, acknowledged, [theirs, said_by_them])
        except OSError as wrong:
            self.__exit__()
            raise Failed(f"perf: {wrong.strerror}") from wrong
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self, control, acknowledged, theirs):
        for end in theirs:
            os.close(end)
        try:
            os.write(control, b"enable\n")
            begun = os.read(acknowledged, 16).startswith(b"ack")
        except BrokenPipeError:
            begun = False
        if not begun:
            raise Failed(f"perf: {self.words()}")

    def words(self):
        """The first of what it has said, when it has ended."""
        try:
            said = self.process.communicate(timeout=GRACE_S)[1]
        except subprocess.TimeoutExpired:
            return "it does not end"
        return " ".join(said.strip().splitlines()[:1]) or "it said nothing"

    def __exit__(self, *_):
        """Its end of --control stays open until here: perf 6.1 loses its buffers when that closes earlier."""
        if self.process:
            kill_session(self.process.pid)
            self.process.wait()
            self.process.stderr.close()
        for end in self.pipes:
            os.close(end)
        self.process, self.pipes = None, []

    def books(self):
        """Ends it. What it kept is on the disk then, and only that there is something can be told."""
        self.process.terminate()
        said = self.words()
        kept = subprocess.run(["perf", "report", "--stats", "--input", self.file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=False)
        if "SAMPLE events:" not in kept.stdout:
            raise Failed(f"perf kept no event: {said}")
