#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""without_rights.py: what a user is told who may not do it: the reason in the last line but the hint, and what to do."""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

MAXLAT = os.environ["MAXLAT"]
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}


def without_memory():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))


def main():
    if os.geteuid() != 0:
        print("needs root, to become nobody")
        return 77
    try:
        subprocess.run([MAXLAT, "--version"], **NOBODY, check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"nobody cannot run {MAXLAT}: {error}")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        run = pathlib.Path(folder) / "run"
        run.mkdir()
        source = pathlib.Path(__file__).resolve().parents[2] / "import/testdata/cyclictest-2.4.json"
        subprocess.run([MAXLAT, "import", source, "-o", run / "result.json"], check=True, timeout=60)
        os.chmod(run / "result.json", 0o644)
        journal = ["--journal", f"{folder}/journal"]
        for words, status, told in (
                (["shield", "on", "--cpus", "1", *journal], 77, r"by root alone\nhint: run as root\n\Z"),
                (["shield", "exec", "--cpus", "1", *journal, "--", "true"], 77, r"by root alone\nhint: run as root\n\Z"),
                (["run", "--resume", run], 1, r"permission denied\nhint: resume it as root, or as the user who started it\n\Z"),
                (["sensors", "get", "no/such"], 1, r"shows which there are; those of other users are shown to root, or as root's directory allows\n\Z"),
                (["report", run], 1, r"hint: write it elsewhere with -o FILE\n\Z"),
                (["npt", "--compare", "none,delay:1us", "-a", "0", "-D", "1s", "-q", "--policy", "other"], 77,
                 r"maxlat npt: [^\n]*cannot lock memory [^\n]*ulimit -l[^\n]*\n\Z")):
            ended = subprocess.run([MAXLAT, *map(str, words)], **NOBODY, preexec_fn=without_memory, capture_output=True,
                                   text=True, timeout=60)
            if ended.returncode != status or not re.search(told, ended.stderr):
                failed += 1
                print(f"{words}: exit status {ended.returncode}: {ended.stdout}{ended.stderr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
