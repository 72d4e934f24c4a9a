#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench/papers/all, with programs that stand in for what it runs: what one of them does must not stop the others."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
QUESTIONS = ("primitives", "barriers", "breakpoint", "scaling", "round_trip", "worst_case", "k42", "sensors")
HANGS = "echo begun; sleep 1000 & trap 'echo told to end; exit 0' TERM; wait"
RESULT = """for word; do [ "$last" = --json ] && echo '{"machine": {"kernel": {"values": {"release": "6.1"}}}, "phases": [{"kind": "npt", "name": "loop",
"status": "skipped", "reason": "a stand-in"}]}' > $word; last=$word; done"""


class All(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.tree = pathlib.Path(temporary.name)
        (self.tree / "bench").mkdir()
        (self.tree / "docs").mkdir()
        shutil.copytree(HERE, self.tree / "bench/papers", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(HERE.parents[1] / "docs/repeat-the-papers.md", self.tree / "docs")
        for question in QUESTIONS:
            self.stand_in(f"build/bench/papers/paper_{question}", f"echo made {question}")
        self.stand_in("bench/papers/workloads", "echo made workloads")
        self.stand_in("build/cli/maxlat", RESULT)

    def stand_in(self, name, text):
        program = self.tree / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)

    def run_all(self, *options):
        return subprocess.run([str(self.tree / "bench/papers/all"), str(self.tree / "build"), *options], capture_output=True, text=True,
                              check=False, timeout=200)

    def test_all_of_it(self):
        run = self.run_all()
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for name in (*QUESTIONS, "workloads"):
            self.assertIn(f"made {name}\n", run.stdout)
        self.assertIn("skipped: a stand-in", run.stdout)

    def test_rows_with_fresh_figures_are_not_among_those_made_elsewhere(self):
        elsewhere = self.run_all().stdout.partition("## Not made by this program")[2]
        self.assertIn("| Beamonte 2015, Table 1 | cannot be had here: ", elsewhere)
        for name in ("Desnoyers 2012, Table 3", "Desnoyers 2012, Table 4", "Desnoyers 2012, Table 5", "Desnoyers 2009, Table 5.4"):
            self.assertNotIn(f"| {name} |", elsewhere)

    def test_one_that_fails_and_one_that_cannot_run(self):
        self.stand_in("build/bench/papers/paper_barriers", "exit 3")
        self.stand_in("build/bench/papers/paper_k42", "exit 77")
        run = self.run_all()
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        self.assertRegex(run.stdout, r"\*\*Failed:\*\* \S*paper_barriers: exit status 3")
        self.assertIn("**Cannot run here:** paper_k42", run.stdout)
        self.assertIn("made workloads", run.stdout)

    def test_one_that_hangs_is_told_to_end_and_what_has_no_time_left_is_named(self):
        self.stand_in("build/bench/papers/paper_primitives", HANGS)
        run = self.run_all("--minutes", "0.02")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        self.assertIn("told to end", run.stdout)
        self.assertIn("**Failed:** paper_primitives: it did not end within", run.stdout)
        self.assertIn("**Failed:** paper_k42: no time was left", run.stdout)
        self.assertIn("**Failed:** workloads: no time was left", run.stdout)
        self.assertIn("## Not made by this program", run.stdout)

    def test_tracers_that_hang_are_a_failure_and_the_rows_come_all_the_same(self):
        self.stand_in("build/cli/maxlat", "exec sleep 1000")
        run = self.run_all("--minutes", "0.3")
        self.assertEqual((run.returncode, run.stderr), (1, ""))
        self.assertRegex(run.stdout, r"\*\*Failed:\*\* maxlat npt --compare: (it did not end within|no time was left)")
        self.assertIn("## Not made by this program", run.stdout)


if __name__ == "__main__":
    unittest.main()
