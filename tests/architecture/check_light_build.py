#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is what measures the same code in ./validate's build as in what ships?

That build (MAXLAT_LIGHT) optimises little, for its user waits. Two things keep the measured code as it is: its files are
compiled with -O2 after all, and the linker reads them before all others. The second is needed because of inline functions:
of one that several files keep, the linker takes the first, and a probe's slow ways are such functions.

Nothing is built here: the preset is configured in a temporary folder, and ninja tells what it would run.

usage: check_light_build.py CMAKE SOURCE_FOLDER
"""
import re
import subprocess
import sys
import tempfile

# One file of each room that measures, and one of each kind that does not. The rest of a room goes the same way.
MEASURING = ["base/src/histogram.c", "tracer/session/channel.cpp", "npt/loop/measuring_thread.cpp",
             "npt/arms/arm_maxlat.cpp", "hwlat/loop/window_sampler.cpp", "scheduling/cyclic/wake_thread.cpp"]
BESIDE = ["maxlat_loadgen.dir/Unity/", "maxlat_attribution.dir/Unity/", "maxlat_tracer.dir/Unity/"]
LIGHT = ["maxlat_reports.dir/Unity/", "maxlat_npt.dir/Unity/", "maxlat_core_sys.dir/Unity/"]


def last_optimisation(command):
    return re.findall(r" -O(\S+)", command)[-1]


def expect_level(commands, part, level):
    found = [c for c in commands if part in c.rsplit(" -c ", 1)[1]]
    if not found:
        sys.exit(f"no command compiles {part}")
    for command in found:
        if last_optimisation(command) != level:
            sys.exit(f"{part} is compiled with -O{last_optimisation(command)}, not -O{level}")


def main():
    cmake, source = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        configured = subprocess.run([cmake, "--preset", "validate", "-B", folder], cwd=source, capture_output=True, text=True)
        if configured.returncode != 0:
            sys.exit(f"the preset validate cannot be configured:\n{configured.stderr}")
        told = subprocess.run(["ninja", "-C", folder, "-t", "commands", "cli/maxlat"], capture_output=True, text=True, check=True)
    commands = told.stdout.splitlines()
    compiles = [c for c in commands if " -c " in c]
    link = next(c for c in commands if re.search(r" -o cli/maxlat( |$)", c)).split()
    for part in MEASURING + BESIDE:
        expect_level(compiles, part, "2")
    for part in LIGHT:
        expect_level(compiles, part, "g")
    first_library = next(i for i, word in enumerate(link) if word.endswith(".a"))
    for part in MEASURING:
        if not any(word.endswith(f"/{part.split('/', 1)[1]}.o") for word in link[:first_library]):
            sys.exit(f"{part} is not linked before the libraries")
    if any("/Unity/" in word for word in link[:first_library]):
        sys.exit("files that are optimised little are linked before the libraries")


if __name__ == "__main__":
    main()
