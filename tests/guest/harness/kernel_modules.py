# SPDX-License-Identifier: MIT
"""Builds this project's kernel modules against an unpacked kernel.

Kbuild writes its objects beside the sources, so the sources are copied first (only what changed, times kept, so that a
second build does nothing, and make is not even asked). The copy keeps the tree's shape: the modules reach each other's rooms by relative paths.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from . import Failed

MODULE_DIRECTORIES = ("kernel", "tests/guest/planter", "tests/guest/ring")
SHARED_SOURCES = ("base/include", "base/src", "hwlat/include", "hwlat/module", "npt/include", "npt/module", "tracer/include",
                  "tracer/kernel", "tracer/ring",
                  *MODULE_DIRECTORIES)


def build(kernel, source, build_directory):
    """Builds all modules; returns {name: path of the .ko}."""
    copy = build_directory / "modules" / kernel.release
    copy.mkdir(parents=True, exist_ok=True)
    with open(copy / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        changed = [directory for directory in SHARED_SOURCES if _mirror(source / directory, copy / directory)]
        built = copy / "built"  # there when make had nothing to say, and this program is what it was then
        if changed or not built.exists() or built.stat().st_mtime < Path(__file__).stat().st_mtime:
            built.unlink(missing_ok=True)
            for directory in MODULE_DIRECTORIES:
                _make(kernel, copy / directory)
            built.touch()
        return {module.stem: module for directory in MODULE_DIRECTORIES for module in (copy / directory).glob("*.ko")}


ONE_OBJECT = """include $(src)/shared.kbuild
ccflags-y += -I$(maxlat-root)/tracer/include -I$(maxlat-ring-headers)
unused := $(maxlat-ring) # makes the ring's headers
obj-m := probes_alone.o
probes_alone-y := ../tracer/kernel/probes.o
"""


def check_prototypes(kernel, source, build_directory):
    """The tracer's probes are no longer compiled where one takes another argument than its tracepoint hands over."""
    copy = build_directory / "prototype" / kernel.release
    for directory in ("base/include", "kernel", "tracer/include", "tracer/kernel", "tracer/ring"):
        _mirror(source / directory, copy / directory)
    probes, right, wrong = copy / "tracer/kernel/probes.c", "PROBE(softirq, ARGUMENTS(unsigned int vec)", "PROBE(softirq, ARGUMENTS(struct page *vec)"
    text = probes.read_text()
    if text.count(right) != 1:
        raise Failed(f"{probes} has no {right}")
    probes.write_text(text.replace(right, wrong).replace("record->vec = vec", "record->vec = (uintptr_t)vec"))
    (copy / "kernel/Kbuild").write_text(ONE_OBJECT)
    done = subprocess.run(["make", "-C", str(kernel.build_tree), f"M={copy / 'kernel'}", "probes_alone.o"], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    refused = "check_trace_callback_type_softirq_entry" in done.stderr and "incompatible" in done.stderr
    if done.returncode == 0 or not refused:
        raise Failed(f"a probe with another argument than its tracepoint's: make ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def check_kernel_doc(kernel, source):
    """The comments of the modules' headers, by the kernel's own program, where its headers bring one that runs here."""
    script = next(kernel.modules_root.glob("usr/lib/linux-kbuild-*/scripts/kernel-doc"), None)
    if not script or not shutil.which("perl"):
        return
    headers = [path for directory in ("kernel/include", "hwlat/module", "npt/module", "tracer/kernel") for path in (source / directory).rglob("*.h")]
    done = subprocess.run(["perl", script, "-none", "-Werror", *headers], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"kernel-doc of Linux {kernel.release}:\n{done.stderr}")


def _mirror(source, target):
    """Copies C sources that are new or changed; removes those that are gone; says whether there were any. Build products
    in `target` are left."""
    kept = set()
    changed = False
    for path in sorted(source.rglob("*")) if source.exists() else []:
        if path.is_file() and (path.suffix in (".c", ".h", ".S", ".kbuild") or path.name == "Kbuild"):
            copy = target / path.relative_to(source)
            kept.add(copy)
            if not copy.exists() or copy.stat().st_mtime_ns != path.stat().st_mtime_ns:
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
                changed = True
    for path in target.rglob("*.[chS]") if target.exists() else []:
        if path not in kept and not path.name.endswith((".mod.c", "_histogram.c", "_of_ring.c")):  # made by Kbuild
            path.unlink()
            changed = True
    return changed


def _make(kernel, directory):
    command = ["make", "-C", str(kernel.build_tree), f"M={directory}", f"-j{os.cpu_count()}",
               "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"]  # type information for BPF: needs pahole, and nothing here reads it
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    log = Path(directory) / "build.log"
    log.write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        raise Failed(f"module build failed in {directory}:\n{done.stdout}{done.stderr}")
    warnings = [line for line in done.stderr.splitlines() if "warning:" in line and "pahole version differs" not in line]
    if warnings:
        raise Failed(f"module build in {directory} warns:\n" + "\n".join(warnings))
