#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sensors_pip.py PYTHON_FOLDER PROGRAM: `pip install` of the Python interface, without a network, and what it has installed reads
the sensors of a program (sensor_program.cpp). The library is $MAXLAT_SENSORS_LIBRARY."""
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from sensor_process import SensorProcess

READS = """
import importlib.metadata, sys
import maxlat_sensors as ms
assert ms.__file__.startswith(sys.argv[1] + "/"), ms.__file__
assert importlib.metadata.version("maxlat-sensors") == sys.argv[3], importlib.metadata.version("maxlat-sensors")
monitor = ms.Monitor(sys.argv[2])
print(len(monitor), monitor["server/requests"].read().count)
"""


def missing_for_pip():
    """What of Debian's is not there, or nothing."""
    missing = [name for name in ("pip", "setuptools") if importlib.util.find_spec(name) is None]
    if not missing and importlib.util.find_spec("wheel") is None:
        # Not by import: beside a distutils that is loaded already it ends in an assertion of its own.
        if int(importlib.metadata.version("setuptools").split(".")[0]) < 71:  # from there on it needs no other to build one
            missing.append("wheel")
    return missing


def ended_well(words, **options):
    ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, **options)
    assert ended.returncode == 0, f"{words}: {ended.returncode}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


def installed(source, folder):
    """Into a folder of its own, from a copy, for setuptools builds where the source is. No setting of this machine counts."""
    copy, target = folder / "copy", folder / "installed"
    shutil.copytree(source, copy)
    ended_well([sys.executable, "-m", "pip", "--isolated", "--no-cache-dir", "--disable-pip-version-check", "install", "--no-index",
                "--no-deps", "--no-build-isolation", "--target", str(target), str(copy)],
               cwd=folder, env={**os.environ, "HOME": str(folder), "PIP_CONFIG_FILE": os.devnull})
    return target


def main(source, program):
    missing = missing_for_pip()
    if missing:
        print(f"skipped: {sys.executable} has no {' and no '.join(missing)} (apt install {' '.join('python3-' + m for m in missing)})")
        return 77
    version = ended_well([os.environ["MAXLAT"], "--version"]).split()[1]
    with tempfile.TemporaryDirectory(prefix="maxlat-pip-") as name:
        folder = pathlib.Path(name)
        target = installed(source, folder)
        package = target / "maxlat_sensors"
        assert {one.name for one in package.iterdir()} >= {"__init__.py", "_library.py", "py.typed"}, list(package.iterdir())
        with SensorProcess(program) as running:
            running.tell("post")
            words = [sys.executable, "-c", READS, str(target), str(running.pid), version]
            told = ended_well(words, cwd="/", env={**os.environ, "PYTHONPATH": str(target), "PYTHONDONTWRITEBYTECODE": "1"})
            assert told == "11 3\n", told
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), os.path.abspath(sys.argv[2])))
