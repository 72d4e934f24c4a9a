#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts of bench/papers/workloads: its recorder on a folder that stands in for tracefs, and its children when they hang."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import perf_recorder
import processes
import recorder

STATS = "entries: {entries}\noverrun: 40\ncommit overrun: 2\nbytes: 6000\ndropped events: 7\nread events: 10\n"


def script(name):
    """A program of this folder as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def without_perf(program):
    return mock.patch.object(program.PerfRecorder, "missing", lambda: "no perf")


class FakeTracefs(unittest.TestCase):
    """Instances are ordinary folders: made full, removed with what is in them, and not while a file of theirs is open."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.instances = self.root / "instances"
        self.instances.mkdir()
        self.missing = set()
        for name, stand_in in (("make_instance", self.make), ("remove_instance", self.remove)):
            patch = mock.patch.object(recorder, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def make(self, path):
        files = ["trace_clock", "buffer_size_kb", "options/overwrite", "tracing_on", "events/enable", "per_cpu/cpu0/trace_pipe_raw",
                 *(f"events/{event.replace(':', '/')}/enable" for event in recorder.EVENTS)]
        for name in files:
            if name not in self.missing:
                (pathlib.Path(path) / name).parent.mkdir(parents=True, exist_ok=True)
                (pathlib.Path(path) / name).write_text("")
        (pathlib.Path(path) / "per_cpu/cpu0/stats").write_text(STATS.format(entries=30))

    def remove(self, path):
        opened = [os.path.realpath(descriptor) for descriptor in pathlib.Path("/proc/self/fd").iterdir()]
        self.assertFalse([name for name in opened if name.startswith(str(path))], "the kernel would say EBUSY")
        shutil.rmtree(path)

    def left(self):
        return [path.name for path in self.instances.iterdir()]

    def test_what_the_kernel_has_not_got_is_named_and_no_instance_stays(self):
        for missing, said in (("events/sched/sched_waking/enable", "no event sched:sched_waking"), ("trace_clock", "trace clock x86-tsc")):
            self.missing = {missing}
            with self.subTest(missing), self.assertRaisesRegex(processes.Failed, said):
                with recorder.Recorder(tracing=self.root):
                    self.fail("it began")
            self.assertEqual(self.left(), [])

    def test_a_reader_that_cannot_write_closes_its_files_and_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            full = mock.patch.object(recorder.os, "splice", side_effect=OSError(28, "No space left on device"))
            with full, self.assertRaisesRegex(processes.Failed, "the trace of cpu0 cannot be written: No space left"):
                with recorder.Recorder(folder, tracing=self.root) as mine:
                    mine.readers[0].join()
                    mine.books()
        self.assertEqual(self.left(), [])

    def test_lost_is_what_was_dropped_and_what_overran_a_commit(self):
        with recorder.Recorder(tracing=self.root) as mine:
            self.assertEqual(mine.books(), (80, 80 * 6000 / 30, 9))
        self.assertEqual(self.left(), [])

    def test_a_row_shows_the_loss(self):
        program = script("workloads")
        options = types.SimpleNamespace(rounds=1, seconds=2, clients=1, folder="/var/tmp")
        with mock.patch.object(program, "Recorder", lambda folder: recorder.Recorder(folder, tracing=self.root)), \
                mock.patch.object(program, "worked", lambda *_: (5.0, 1.0)), without_perf(program), contextlib.redirect_stdout(io.StringIO()) as shown:
            self.assertTrue(program.measured("dbench", options))
        lost = {row.split(" | ")[1]: row.strip(" |\n").split(" | ")[-1] for row in shown.getvalue().splitlines()}
        self.assertEqual(lost, {"dormant": "0", "flight recorder": "9", "to disk": "9", "perf, flight recorder": "–"})

    def test_a_workload_that_dies_in_one_configuration_has_its_reason_there_and_figures_elsewhere(self):
        program, shown = script("workloads"), io.StringIO()
        options = types.SimpleNamespace(rounds=2, seconds=2, clients=1, folder="/var/tmp")

        def run(_workload, configuration, _options):
            if configuration == "to disk":
                raise processes.Failed("exit status 3: no space left")
            return 5.0, 1.0, 10, 1e-3, 0
        with mock.patch.object(program, "run", run), without_perf(program), contextlib.redirect_stdout(shown):
            self.assertFalse(program.measured("dbench", options))
        told = {row.split(" | ")[1]: row.split(" | ")[2] for row in shown.getvalue().splitlines()}
        self.assertEqual(told, {"dormant": "5 MB/s", "flight recorder": "5 MB/s", "to disk": "failed: exit status 3: no space left",
                                "perf, flight recorder": "not run: no perf"})

    def test_instances_of_the_dead_are_removed_and_those_of_the_living_stay(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        for name in (f"{recorder.PREFIX}{gone.pid}", f"{recorder.PREFIX}{os.getpid()}", f"another-{gone.pid}"):
            self.make(self.instances / name)
        recorder.remove_instances_of_the_dead(self.root)
        self.assertEqual(sorted(self.left()), sorted([f"{recorder.PREFIX}{os.getpid()}", f"another-{gone.pid}"]))


class Tracefs(unittest.TestCase):
    def test_an_event_that_this_kernel_has_not_got(self):
        program = script("workloads")
        if why := program.why_nothing_can_be_traced():
            self.skipTest(why)
        with self.assertRaisesRegex(processes.Failed, "this kernel has no event sched:sched_nobody"):
            with recorder.Recorder(events=("sched:sched_switch", "sched:sched_nobody")):
                self.fail("it began")
        self.assertFalse(pathlib.Path(recorder.TRACING, "instances", f"{recorder.PREFIX}{os.getpid()}").exists())


class Children(unittest.TestCase):
    def test_a_program_that_hangs_takes_its_children_with_it(self):
        processes.become_subreaper()
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(processes, "GRACE_S", 0.1):
            client = "trap '' TERM; echo $$ > client; while :; do sleep 1; done"
            with self.assertRaisesRegex(processes.Failed, "it did not end within 1 s"):
                processes.ended(["sh", "-c", f"trap '' TERM; sh -c \"{client}\" & wait; wait"], 1, cwd=folder)
            processes.reap()  # Failed if the client were still there
            self.assertFalse(pathlib.Path("/proc", pathlib.Path(folder, "client").read_text().strip()).exists())

    def test_what_ends_with_its_children_still_there_leaves_none(self):
        processes.become_subreaper()
        self.assertEqual(processes.ended(["sh", "-c", "sleep 1000 > /dev/null 2>&1 & echo it"], 60, stdout=subprocess.PIPE).stdout, "it\n")
        processes.reap()

    def test_what_left_the_session_does_not_stop_us(self):
        processes.become_subreaper()
        escapes = "setsid sh -c 'echo $$; exec sleep 1000 > /dev/null 2>&1' &"
        pid = int(processes.ended(["sh", "-c", escapes], 60, stdout=subprocess.PIPE).stdout)
        try:
            with self.assertRaisesRegex(processes.Failed, "does not end"):
                processes.reap(0.1)
        finally:
            os.kill(pid, 9)
            processes.reap()

    def test_one_that_goes_on_is_not_waited_for(self):
        processes.become_subreaper()
        with subprocess.Popen(["sleep", "1000"]) as other:
            processes.ended(["sh", "-c", "setsid sleep 0.1 &"], 60)
            processes.reap(besides=[other.pid])
            self.assertEqual(processes.children(), {other.pid})
            other.kill()


class Perf(unittest.TestCase):
    """A script stands in for perf: what it says on its pipes, and when it ends."""

    def with_perf(self, text):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        program = pathlib.Path(temporary.name, "perf")
        program.write_text(f"#!/bin/bash\n{text}\n")
        program.chmod(0o755)
        path = mock.patch.dict(os.environ, {"PATH": f"{temporary.name}:{os.environ['PATH']}"})
        path.start()
        self.addCleanup(path.stop)
        return perf_recorder.PerfRecorder(temporary.name)

    BEGIN = """[ $1 = report ] && { echo "SAMPLE events: 5"; exit; }
for word; do [[ $word == --control=fd:* ]] && pipes=${word#--control=fd:}; done
read -r told <&${pipes%,*}
[ "$told" = enable ] && echo ack >&${pipes#*,}"""

    def test_begins_when_it_says_so_and_ends_when_told(self):
        opened = len(os.listdir("/proc/self/fd"))
        with self.with_perf(f"{self.BEGIN}\ntrap 'exit 0' TERM; while :; do sleep 0.05; done") as recorder_of_perf:
            recorder_of_perf.books()
        self.assertEqual(len(os.listdir("/proc/self/fd")), opened)

    def test_why_it_does_not_begin(self):
        opened = len(os.listdir("/proc/self/fd"))
        with self.assertRaisesRegex(processes.Failed, "^perf: no permission$"):
            self.with_perf("echo 'no permission' >&2; echo 'hint: be root' >&2; exit 1").__enter__()
        self.assertEqual(len(os.listdir("/proc/self/fd")), opened)

    def test_that_it_kept_nothing(self):
        with self.with_perf(self.BEGIN.replace("SAMPLE", "COMM") + "\necho 'its disk is full' >&2; exit 1") as recorder_of_perf:
            with self.assertRaisesRegex(processes.Failed, "perf kept no event: its disk is full"):
                recorder_of_perf.books()


class Refusals(unittest.TestCase):
    def ended(self, *options, **how):
        return subprocess.run([str(HERE / "workloads"), *options], capture_output=True, text=True, check=False, timeout=100, **how)

    def test_a_folder_in_memory(self):
        program = script("workloads")
        if program.file_system_of("/dev/shm") != "tmpfs":
            self.skipTest("/dev/shm is no tmpfs")
        refused = self.ended("--folder", "/dev/shm")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("/dev/shm is in memory (tmpfs)", refused.stderr)
        for options, why in ((["--folder", "/nowhere"], "no folder /nowhere"), (["--clients", "0"], "one client at least")):
            self.assertIn(why, self.ended(*options).stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another")
    def test_who_may_not_trace_is_told_so(self):
        script("workloads").why_nothing_can_be_traced()  # mounts it, where that can be: a folder that only root may enter
        with tempfile.TemporaryDirectory() as folder:  # nobody may read the tree
            os.chmod(folder, 0o755)
            for name in ("workloads", "perf_recorder.py", "recorder.py", "processes.py"):
                shutil.copy(HERE / name, folder)
            run = subprocess.run([f"{folder}/workloads"], user=65534, group=65534, extra_groups=[], capture_output=True, text=True, check=False,
                                 timeout=100)
        self.assertEqual((run.returncode, run.stderr), (77, ""))
        self.assertRegex(run.stdout, "^the kernel cannot be traced here: tracefs is not mounted, or not for us")


if __name__ == "__main__":
    unittest.main()
