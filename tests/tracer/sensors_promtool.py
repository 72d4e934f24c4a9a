#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sensors_promtool.py PROGRAM: Prometheus's own promtool takes what `maxlat sensors export` writes, in both formats.

promtool is in Debian's package prometheus, which has a service, too: so it is not installed, but unpacked in the cache of the
guest tests. One that is there ($PATH) is taken first. The binary is $MAXLAT.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from sensor_process import SensorProcess, sensors

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "guest"))
from harness import CannotRun, package_archive  # noqa: E402
from harness.kernel_package import cache_directory  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])


def promtool():
    here = shutil.which("promtool")
    if here:
        return here
    cache = cache_directory()
    program = cache / "promtool"
    if not program.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            unpacked = pathlib.Path(folder) / "root"

            def unpack(archive):  # Debian 13 has it in a package of its own
                package = "promtool" if "promtool" in archive.depends("prometheus") else "prometheus"
                archive.unpack(package, pathlib.Path(folder), unpacked)

            package_archive.answer(unpack, package_archive.machine(), cache)
            os.replace(unpacked / "usr/bin/promtool", program)
    return str(program)


def ask(tool, *arguments, text=""):
    ended = subprocess.run([tool, *arguments], input=text, capture_output=True, text=True, timeout=120)
    return ended.returncode, ended.stdout + ended.stderr


def blocks_of(tool, text):
    """Has its parser of OpenMetrics read it. That one wants the time of each sample, which a scrape does not have."""
    timed = re.sub(r"^([^#].*)$", r"\1 1700000000", text, flags=re.M)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "metrics")
        with open(path, "w", encoding="utf-8") as file:
            file.write(timed)
        return ask(tool, "tsdb", "create-blocks-from", "openmetrics", path, folder)


def main():
    tool = promtool()
    with SensorProcess(PROGRAM) as program:
        program.tell("post", "move")
        older = sensors("export", "--format", "prometheus", str(program.pid))
        said = ask(tool, "check", "metrics", text=older)
        assert said == (0, ""), said
        newer = sensors("export", str(program.pid))
        status, said = blocks_of(tool, newer)
        assert status == 0, said
        # It does refuse: what has no end, and a series of no family's suffix.
        assert blocks_of(tool, newer.replace("# EOF\n", ""))[0] != 0
        assert ask(tool, "check", "metrics", text=older + "x{ 1\n")[0] != 0


try:
    main()
except CannotRun as reason:
    print(reason)
    sys.exit(77)
